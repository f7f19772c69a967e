//! A formula as a flat list of operations, each of which uses results of earlier ones.

use rustc_hash::FxHashMap;

use crate::math::interval::RealInterval;

/// An operation on earlier results, which are given by their indices in the tape.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Operation {
    /// A number in the interval.
    Constant(RealInterval),
    /// One of the variables.
    Variable(u8),
    Add(u32, u32),
    Subtract(u32, u32),
    Multiply(u32, u32),
    Divide(u32, u32),
    Negate(u32),
    Square(u32),
    /// To an integer power.
    Power(u32, f64),
    /// To a noninteger power in the interval; the base is nonnegative.
    RealPower(u32, RealInterval),
    Sqrt(u32),
    /// The square root of a sum of squares: the sum, and the range in [`Tape::squares`] of the squared terms.
    Norm(u32, [u16; 2]),
    Abs(u32),
    Exp(u32),
    Log(u32),
    Sin(u32),
    Cos(u32),
    Tan(u32),
    Asin(u32),
    Acos(u32),
    Atan(u32),
    /// The angle of the point (second, first).
    Atan2(u32, u32),
    Min(u32, u32),
    Max(u32, u32),
}

impl Operation {
    /// The indices of its operands; none for a number or variable.
    pub(crate) fn operands(self) -> [Option<u32>; 2] {
        match self {
            Self::Constant(_) | Self::Variable(_) => [None; 2],
            Self::Add(a, b)
            | Self::Subtract(a, b)
            | Self::Multiply(a, b)
            | Self::Divide(a, b)
            | Self::Atan2(a, b)
            | Self::Min(a, b)
            | Self::Max(a, b) => [Some(a), Some(b)],
            Self::Negate(a)
            | Self::Square(a)
            | Self::Power(a, _)
            | Self::RealPower(a, _)
            | Self::Sqrt(a)
            | Self::Norm(a, _)
            | Self::Abs(a)
            | Self::Exp(a)
            | Self::Log(a)
            | Self::Sin(a)
            | Self::Cos(a)
            | Self::Tan(a)
            | Self::Asin(a)
            | Self::Acos(a)
            | Self::Atan(a) => [Some(a), None],
        }
    }

    /// The same operation with renumbered operands.
    pub(crate) fn moved(self, to: impl Fn(u32) -> u32) -> Self {
        match self {
            Self::Constant(_) | Self::Variable(_) => self,
            Self::Add(a, b) => Self::Add(to(a), to(b)),
            Self::Subtract(a, b) => Self::Subtract(to(a), to(b)),
            Self::Multiply(a, b) => Self::Multiply(to(a), to(b)),
            Self::Divide(a, b) => Self::Divide(to(a), to(b)),
            Self::Negate(a) => Self::Negate(to(a)),
            Self::Square(a) => Self::Square(to(a)),
            Self::Power(a, n) => Self::Power(to(a), n),
            Self::RealPower(a, c) => Self::RealPower(to(a), c),
            Self::Sqrt(a) => Self::Sqrt(to(a)),
            Self::Norm(a, terms) => Self::Norm(to(a), terms),
            Self::Abs(a) => Self::Abs(to(a)),
            Self::Exp(a) => Self::Exp(to(a)),
            Self::Log(a) => Self::Log(to(a)),
            Self::Sin(a) => Self::Sin(to(a)),
            Self::Cos(a) => Self::Cos(to(a)),
            Self::Tan(a) => Self::Tan(to(a)),
            Self::Asin(a) => Self::Asin(to(a)),
            Self::Acos(a) => Self::Acos(to(a)),
            Self::Atan(a) => Self::Atan(to(a)),
            Self::Atan2(a, b) => Self::Atan2(to(a), to(b)),
            Self::Min(a, b) => Self::Min(to(a), to(b)),
            Self::Max(a, b) => Self::Max(to(a), to(b)),
        }
    }

    /// An enclosure of its results for operands in intervals.
    #[inline]
    pub(crate) fn range(
        self,
        variables: &[RealInterval; 3],
        of: impl Fn(u32) -> RealInterval,
    ) -> RealInterval {
        match self {
            Self::Constant(value) => value,
            Self::Variable(i) => variables[i as usize % 3],
            Self::Add(a, b) => of(a) + of(b),
            Self::Subtract(a, b) => of(a) - of(b),
            Self::Multiply(a, b) => of(a) * of(b),
            Self::Divide(a, b) => of(a) / of(b),
            Self::Negate(a) => -of(a),
            Self::Square(a) => of(a).sqr(),
            Self::Power(a, n) => of(a).powi(n),
            Self::RealPower(a, c) => of(a).pow(c),
            Self::Sqrt(a) | Self::Norm(a, _) => of(a).sqrt(),
            Self::Abs(a) => of(a).abs(),
            Self::Exp(a) => of(a).exp(),
            Self::Log(a) => of(a).log(),
            Self::Sin(a) => of(a).sin(),
            Self::Cos(a) => of(a).cos(),
            Self::Tan(a) => of(a).tan(),
            Self::Asin(a) => of(a).asin(),
            Self::Acos(a) => of(a).acos(),
            Self::Atan(a) => of(a).atan(),
            Self::Atan2(a, b) => of(a).atan2(of(b)),
            Self::Min(a, b) => of(a).min(of(b)),
            Self::Max(a, b) => of(a).max(of(b)),
        }
    }

    /// The rounded result.
    pub(crate) fn value(self, variables: &[f64], of: impl Fn(u32) -> f64) -> f64 {
        match self {
            Self::Constant(value) => value.middle(),
            Self::Variable(i) => variables.get(i as usize).copied().unwrap_or(f64::NAN),
            Self::Add(a, b) => of(a) + of(b),
            Self::Subtract(a, b) => of(a) - of(b),
            Self::Multiply(a, b) => of(a) * of(b),
            Self::Divide(a, b) => of(a) / of(b),
            Self::Negate(a) => -of(a),
            Self::Square(a) => of(a) * of(a),
            Self::Power(a, n) => libm::pow(of(a), n),
            Self::RealPower(a, c) => libm::pow(of(a), c.middle()),
            Self::Sqrt(a) | Self::Norm(a, _) => of(a).sqrt(),
            Self::Abs(a) => of(a).abs(),
            Self::Exp(a) => libm::exp(of(a)),
            Self::Log(a) => libm::log(of(a)),
            Self::Sin(a) => libm::sin(of(a)),
            Self::Cos(a) => libm::cos(of(a)),
            Self::Tan(a) => libm::tan(of(a)),
            Self::Asin(a) => libm::asin(of(a)),
            Self::Acos(a) => libm::acos(of(a)),
            Self::Atan(a) => libm::atan(of(a)),
            Self::Atan2(a, b) => libm::atan2(of(a), of(b)),
            Self::Min(a, b) => of(a).min(of(b)),
            Self::Max(a, b) => of(a).max(of(b)),
        }
    }

    /// Why it has no value for any operands in these intervals; `None` if it may have one.
    pub(crate) fn fault(self, of: impl Fn(u32) -> RealInterval) -> Option<&'static str> {
        let faulty = |fault: &'static str, proven: bool| proven.then_some(fault);
        match self {
            Self::Divide(_, b) => faulty(DIVISION, of(b) == RealInterval::ZERO),
            Self::Power(a, n) if n < 0.0 => faulty(NEGATIVE_POWER, of(a) == RealInterval::ZERO),
            Self::RealPower(a, c) => {
                let zero = of(a) == RealInterval::ZERO && c.hi < 0.0;
                faulty("a negative number to a power that is no whole number", of(a).hi < 0.0)
                    .or(faulty(NEGATIVE_POWER, zero))
            }
            Self::Sqrt(a) | Self::Norm(a, _) => {
                faulty("the square root of a negative number", of(a).hi < 0.0)
            }
            Self::Log(a) if of(a) == RealInterval::ZERO => Some(LOGARITHM),
            Self::Log(a) => faulty("the logarithm of a negative number", of(a).hi <= 0.0),
            Self::Asin(a) => faulty("the asin of a number outside of [-1, 1]", outside(of(a))),
            Self::Acos(a) => faulty("the acos of a number outside of [-1, 1]", outside(of(a))),
            _ => None,
        }
    }

    /// Whether it may have no value for some operands in these intervals.
    pub(crate) fn may_be_undefined(self, of: impl Fn(u32) -> RealInterval) -> bool {
        match self {
            Self::Divide(_, b) => of(b).contains(0.0),
            Self::Power(a, n) => n < 0.0 && of(a).contains(0.0),
            Self::RealPower(a, c) => of(a).lo < 0.0 || c.lo < 0.0 && of(a).lo == 0.0,
            Self::Sqrt(a) | Self::Norm(a, _) => of(a).lo < 0.0,
            Self::Log(a) => of(a).lo <= 0.0,
            Self::Asin(a) | Self::Acos(a) => of(a).lo < -1.0 || of(a).hi > 1.0,
            Self::Tan(a) => of(a).tan() == RealInterval::WHOLE,
            _ => false,
        }
    }
}

/// The message for 0 to a negative power.
pub(crate) const NEGATIVE_POWER: &str = "a division by zero: zero to a negative power";
/// The message for the logarithm of 0.
pub(crate) const LOGARITHM: &str = "the logarithm of zero";
/// The message for a divisor that is 0 somewhere.
pub(crate) const DIVISION: &str = "a division by zero";

fn outside(x: RealInterval) -> bool {
    x.lo > 1.0 || x.hi < -1.0
}

/// An operation with its properties.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct TapeNode {
    pub(crate) operation: Operation,
    /// Its column in the text; the first one if it occurs more than once.
    pub(crate) column: u32,
    /// The variables on which it depends, one bit each.
    pub(crate) mask: u8,
    /// The variables on which both of its operands depend.
    pub(crate) shared: u8,
}

/// A formula: the last operation gives its value.
#[derive(Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "PlainTape"))]
pub(crate) struct Tape {
    pub(crate) nodes: Vec<TapeNode>,
    /// The terms of all [`Operation::Norm`].
    pub(crate) squares: Vec<u32>,
}

impl Tape {
    /// The index of the last operation.
    pub(crate) fn root(&self) -> u32 {
        place(self.nodes.len().saturating_sub(1))
    }

    /// The value of the operation at an index, if it is a number.
    pub(crate) fn constant(&self, at: u32) -> Option<RealInterval> {
        match self.nodes[at as usize].operation {
            Operation::Constant(value) => Some(value),
            _ => None,
        }
    }
}

/// A tape as deserialized.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct PlainTape {
    nodes: Vec<TapeNode>,
    squares: Vec<u32>,
}

#[cfg(feature = "serde")]
impl TryFrom<PlainTape> for Tape {
    type Error = crate::error::Error;

    fn try_from(PlainTape { nodes, squares }: PlainTape) -> Result<Self, Self::Error> {
        let wrong = |at: usize, expected| Self::Error::out_of_range(at as f64, expected, "operation");
        if nodes.is_empty() || u32::try_from(nodes.len()).is_err() {
            return wrong(nodes.len(), "a formula of 1 to 4294967295 operations");
        }
        for (number, node) in nodes.iter().enumerate() {
            let is_before = |at: u32| (at as usize) < number;
            if !node.operation.operands().into_iter().flatten().all(is_before) {
                return wrong(number, "operands before the operation");
            }
            let mask_of = |at: u32| nodes[at as usize].mask;
            if (node.mask, node.shared) != masks(node.operation, mask_of) {
                return wrong(number, "the variables of its operands");
            }
            match node.operation {
                Operation::Variable(i) if i > 2 => return wrong(number, "one of three variables"),
                Operation::Norm(_, [from, to]) => {
                    let terms = squares.get(usize::from(from)..usize::from(to));
                    if !terms.is_some_and(|terms| terms.iter().all(|at| is_before(*at))) {
                        return wrong(number, "terms before the operation");
                    }
                }
                Operation::Power(_, n) if n.is_nan() || n.fract() != 0.0 => {
                    return wrong(number, "a whole power");
                }
                _ => {}
            }
        }
        Ok(Self { nodes, squares })
    }
}

/// The variables on which an operation depends, and the variables on which both of its operands depend. `of` gives
/// the variables of an operand.
fn masks(operation: Operation, of: impl Fn(u32) -> u8) -> (u8, u8) {
    match (operation, operation.operands()) {
        (Operation::Variable(i), _) => (1 << (i % 3), 0),
        (_, [Some(a), Some(b)]) => (of(a) | of(b), of(a) & of(b)),
        (_, [Some(a), None]) => (of(a), 0),
        _ => (0, 0),
    }
}

/// Lengths of tapes fit: a text with that many operations would take 4 GiB.
fn place(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}

/// The maximum number of terms of one norm.
const TERMS: usize = 16;

/// Builds a tape: merges equal operations, evaluates constants, and replaces some operations by better operations
/// that are equal for real numbers.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    nodes: Vec<TapeNode>,
    squares: Vec<u32>,
    known: FxHashMap<Key, u32>,
}

impl Builder {
    /// A builder that contains the operations of a tape, at the same indices.
    pub(crate) fn of(tape: &Tape) -> Self {
        let known = tape.nodes.iter().enumerate().map(|(i, node)| (key(node.operation), place(i))).collect();
        Self { nodes: tape.nodes.clone(), squares: tape.squares.clone(), known }
    }

    pub(crate) fn node(&self, at: u32) -> TapeNode {
        self.nodes[at as usize]
    }

    /// The number at an index.
    pub(crate) fn constant(&self, at: u32) -> Option<RealInterval> {
        match self.node(at).operation {
            Operation::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Why an operation on numbers has no value.
    pub(crate) fn fault(&self, operation: Operation) -> Option<&'static str> {
        let operands = operation.operands().into_iter().flatten();
        let numbers = operands.clone().all(|at| self.constant(at).is_some());
        let of = |at| self.constant(at).unwrap_or(RealInterval::WHOLE);
        if numbers { operation.fault(of) } else { None }
    }

    pub(crate) fn number(&mut self, value: RealInterval) -> u32 {
        self.push(Operation::Constant(value), 0)
    }

    /// The index of an operation, which is at a column of the text.
    pub(crate) fn push(&mut self, operation: Operation, column: u32) -> u32 {
        use Operation as Op;
        let constant = |at: u32| self.constant(at);
        let operation = match operation {
            Op::Subtract(a, b) if constant(b).is_some() && constant(a).is_none() => {
                let negative = self.push(Op::Negate(b), column);
                Op::Add(a, negative)
            }
            // Move numbers to the right.
            Op::Add(a, b) if constant(a).is_some() && constant(b).is_none() => Op::Add(b, a),
            Op::Multiply(a, b) if constant(a).is_some() && constant(b).is_none() => Op::Multiply(b, a),
            other => other,
        };
        let operation = match operation {
            Op::Add(a, b) => match (self.node(a).operation, self.constant(b)) {
                (Op::Add(c, d), Some(_)) if self.constant(d).is_some() => {
                    let number = self.push(Op::Add(d, b), column);
                    Op::Add(c, number)
                }
                (_, None) => Op::Add(a.min(b), a.max(b)),
                _ => operation,
            },
            Op::Multiply(a, b) if a == b => Op::Square(a),
            Op::Multiply(a, b) => match (self.node(a).operation, self.constant(b)) {
                (Op::Multiply(c, d), Some(_)) if self.constant(d).is_some() => {
                    let number = self.push(Op::Multiply(d, b), column);
                    Op::Multiply(c, number)
                }
                (_, None) => Op::Multiply(a.min(b), a.max(b)),
                _ => operation,
            },
            Op::Min(a, b) | Op::Max(a, b) if a == b => return a,
            Op::Power(a, 1.0) => return a,
            Op::Power(a, 2.0) => Op::Square(a),
            other => other,
        };
        let operation = match operation {
            Op::Negate(a) => match self.node(a).operation {
                Op::Negate(b) => return b,
                _ => operation,
            },
            Op::Square(a) => match self.node(a).operation {
                Op::Abs(b) | Op::Negate(b) => Op::Square(b),
                _ => operation,
            },
            Op::Abs(a) => match self.node(a).operation {
                Op::Abs(_) => return a,
                Op::Negate(b) => Op::Abs(b),
                _ => operation,
            },
            Op::Sqrt(a) => match self.node(a).operation {
                Op::Square(b) => Op::Abs(b),
                _ => self.norm(a),
            },
            other => other,
        };
        self.add(operation, column)
    }

    fn add(&mut self, operation: Operation, column: u32) -> u32 {
        let operands = operation.operands().into_iter().flatten();
        let (mask, shared) = masks(operation, |at| self.node(at).mask);
        let mut operation = operation;
        let numbers = operands.clone().count() > 0 && operands.clone().all(|at| self.constant(at).is_some());
        if numbers && self.fault(operation).is_none() {
            let of = |at| self.constant(at).unwrap_or(RealInterval::WHOLE);
            operation = Operation::Constant(operation.range(&[RealInterval::WHOLE; 3], of));
        }
        let next = place(self.nodes.len());
        let at = *self.known.entry(key(operation)).or_insert(next);
        if at == next {
            self.nodes.push(TapeNode { operation, column, mask, shared });
        }
        at
    }

    /// The square root of a sum: a norm if all terms are squares, possibly times a positive number, or nonnegative
    /// numbers.
    fn norm(&mut self, sum: u32) -> Operation {
        let (mut left, mut terms) = (vec![sum], Vec::new());
        while let Some(at) = left.pop() {
            // A square and its factor or divisor.
            let square = |of: u32, number: u32| match (self.node(of).operation, self.constant(number)) {
                (Operation::Square(a), Some(value)) if value.lo > 0.0 => Some((a, number)),
                _ => None,
            };
            let operation = self.node(at).operation;
            let scaled = match operation {
                Operation::Multiply(a, b) | Operation::Divide(a, b) => square(a, b),
                _ => None,
            };
            match operation {
                Operation::Add(a, b) if terms.len() + left.len() < TERMS => left.extend([b, a]),
                Operation::Square(a) => terms.push(a),
                Operation::Constant(value) if value.lo >= 0.0 => {}
                _ => {
                    let Some((a, number)) = scaled else { return Operation::Sqrt(sum) };
                    let root = self.push(Operation::Sqrt(number), 0);
                    let times = matches!(operation, Operation::Multiply(..));
                    let term = if times { Operation::Multiply(a, root) } else { Operation::Divide(a, root) };
                    terms.push(self.push(term, 0));
                }
            }
        }
        let (from, to) = (u16::try_from(self.squares.len()), u16::try_from(self.squares.len() + terms.len()));
        let (Ok(from), Ok(to)) = (from, to) else { return Operation::Sqrt(sum) };
        if let Some(known) = self.known.get(&key(Operation::Norm(sum, [0; 2]))) {
            return self.node(*known).operation;
        }
        self.squares.extend(terms);
        Operation::Norm(sum, [from, to])
    }

    /// The tape of the operation at an index: the operations that it needs, in order.
    pub(crate) fn tape(&self, root: u32) -> Tape {
        let count = root as usize + 1;
        let mut needed = vec![false; count];
        needed[root as usize] = true;
        for at in (0..count).rev() {
            if needed[at] {
                let operation = self.nodes[at].operation;
                operation
                    .operands()
                    .into_iter()
                    .flatten()
                    .for_each(|operand| needed[operand as usize] = true);
                self.terms(operation).iter().for_each(|term| needed[*term as usize] = true);
            }
        }
        let (mut nodes, mut squares, mut places) = (Vec::new(), Vec::new(), vec![0; count]);
        for at in (0..count).filter(|at| needed[*at]) {
            let node = self.nodes[at];
            let mut operation = node.operation.moved(|old| places[old as usize]);
            if let Operation::Norm(_, terms) = &mut operation {
                let from = squares.len();
                squares.extend(self.terms(node.operation).iter().map(|term| places[*term as usize]));
                *terms = [from, squares.len()].map(|i| u16::try_from(i).unwrap_or(u16::MAX));
            }
            places[at] = place(nodes.len());
            nodes.push(TapeNode { operation, ..node });
        }
        Tape { nodes, squares }
    }

    /// The terms of a norm; empty for any other operation.
    pub(crate) fn terms(&self, operation: Operation) -> &[u32] {
        match operation {
            Operation::Norm(_, [from, to]) => &self.squares[from as usize..to as usize],
            _ => &[],
        }
    }
}

/// The kind of an operation, its first operand, and its other data.
type Key = (u8, u32, u64, u64);

/// Equal for equal operations only.
fn key(operation: Operation) -> Key {
    use Operation as Op;
    // A negative zero is the same number.
    let ends = |value: RealInterval| ((value.lo + 0.0).to_bits(), (value.hi + 0.0).to_bits());
    let (kind, (lo, hi)) = match operation {
        Op::Constant(value) => (0, ends(value)),
        Op::Variable(i) => (1, (u64::from(i), 0)),
        Op::Add(..) => (2, (0, 0)),
        Op::Subtract(..) => (3, (0, 0)),
        Op::Multiply(..) => (4, (0, 0)),
        Op::Divide(..) => (5, (0, 0)),
        Op::Negate(_) => (6, (0, 0)),
        Op::Square(_) => (7, (0, 0)),
        Op::Power(_, n) => (8, (n.to_bits(), 0)),
        Op::RealPower(_, c) => (9, ends(c)),
        Op::Sqrt(_) => (10, (0, 0)),
        Op::Norm(..) => (11, (0, 0)),
        Op::Abs(_) => (12, (0, 0)),
        Op::Exp(_) => (13, (0, 0)),
        Op::Log(_) => (14, (0, 0)),
        Op::Sin(_) => (15, (0, 0)),
        Op::Cos(_) => (16, (0, 0)),
        Op::Tan(_) => (17, (0, 0)),
        Op::Asin(_) => (18, (0, 0)),
        Op::Acos(_) => (19, (0, 0)),
        Op::Atan(_) => (20, (0, 0)),
        Op::Atan2(..) => (21, (0, 0)),
        Op::Min(..) => (22, (0, 0)),
        Op::Max(..) => (23, (0, 0)),
    };
    let [a, b] = operation.operands();
    // An operation with a second operand has no interval.
    (kind, a.unwrap_or(0), b.map_or(lo, u64::from), hi)
}
