//! Parses the text of a formula.
//!
//! Operator precedence with explicit stacks (Dijkstra's shunting-yard): nothing recurses, whatever the text.

use super::error::ExpressionError;
use super::ratio::Ratio;
use super::tape::{Builder, Operation, Tape};
use super::tokens::{Token, Tokens, shortened};
use crate::math::interval::RealInterval;

/// The maximum number of parentheses, functions and operators that may be open at once.
const DEEPEST: usize = 10_000;

/// The tape of a formula of the named variables, at most three.
///
/// # Errors
/// The text is not a formula, or an operation on its numbers has no result.
pub(crate) fn parse(text: &str, variables: &[&str]) -> Result<Tape, ExpressionError> {
    Parser {
        tokens: Tokens::new(text),
        variables: &variables[..variables.len().min(3)],
        builder: Builder::default(),
        operands: Vec::new(),
        open: Vec::new(),
    }
    .run()
}

/// An element that waits for an operand, or for its end.
#[derive(Debug, Clone, Copy)]
enum Unfinished {
    Parenthesis,
    Call(Function),
    Negate,
    Binary(char),
}

impl Unfinished {
    /// Its precedence; 0 if only a closing parenthesis ends it.
    fn strength(self) -> u8 {
        match self {
            Self::Parenthesis | Self::Call(_) => 0,
            Self::Binary('+' | '-') => 1,
            Self::Binary('*' | '/') => 2,
            Self::Negate => 3,
            Self::Binary(_) => 4,
        }
    }
}

/// A function that is being called.
#[derive(Debug, Clone, Copy)]
struct Function {
    name: &'static str,
    make: Make,
    /// The number of operands before its arguments.
    before: usize,
}

/// A function that makes an operation from arguments.
#[derive(Debug, Clone, Copy)]
enum Make {
    One(fn(u32) -> Operation),
    Two(fn(u32, u32) -> Operation),
    /// From the first two, then with each further one.
    Many(fn(u32, u32) -> Operation),
}

/// All functions.
const FUNCTIONS: [(&str, Make); 13] = [
    ("sqrt", Make::One(Operation::Sqrt)),
    ("abs", Make::One(Operation::Abs)),
    ("exp", Make::One(Operation::Exp)),
    ("log", Make::One(Operation::Log)),
    ("sin", Make::One(Operation::Sin)),
    ("cos", Make::One(Operation::Cos)),
    ("tan", Make::One(Operation::Tan)),
    ("asin", Make::One(Operation::Asin)),
    ("acos", Make::One(Operation::Acos)),
    ("atan", Make::One(Operation::Atan)),
    ("atan2", Make::Two(Operation::Atan2)),
    ("min", Make::Many(Operation::Min)),
    ("max", Make::Many(Operation::Max)),
];

/// An operand, and the start of its text.
#[derive(Debug, Clone, Copy)]
struct Operand {
    at: u32,
    column: usize,
    /// Its value, if it is an exact fraction.
    ratio: Option<Ratio>,
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    variables: &'a [&'a str],
    builder: Builder,
    operands: Vec<Operand>,
    open: Vec<(Unfinished, usize)>,
}

fn error<T>(column: usize, what: String) -> Result<T, ExpressionError> {
    Err(ExpressionError { column, what })
}

impl<'a> Parser<'a> {
    fn run(mut self) -> Result<Tape, ExpressionError> {
        loop {
            if !self.operand()? {
                continue;
            }
            if self.operator()? {
                break;
            }
        }
        let root = self.operands.pop().map_or(0, |operand| operand.at);
        Ok(self.builder.tape(root))
    }

    /// Reads a token where an operand is expected; returns whether there now is an operand.
    fn operand(&mut self) -> Result<bool, ExpressionError> {
        let (token, column) = self.tokens.next()?;
        match token {
            Token::Number(x) => {
                let at = self.builder.number(RealInterval::point(x));
                self.operands.push(Operand { at, column, ratio: Ratio::of(x) });
                Ok(true)
            }
            Token::Name(name) => self.name(name, column),
            Token::Sign('(') => self.opened(Unfinished::Parenthesis, column),
            Token::Sign('-') => self.opened(Unfinished::Negate, column),
            Token::Sign(')') if self.has_no_arguments() => {
                self.close_call()?;
                Ok(true)
            }
            Token::End if self.open.is_empty() && self.operands.is_empty() => {
                error(1, "found nothing, expected a formula (it is empty)".to_owned())
            }
            _ => {
                let expected = "expected a number, a variable, a function, \"(\" or \"-\"";
                error(column, format!("found {token}, {expected}"))
            }
        }
    }

    /// Whether the innermost open element is a function without any argument yet.
    fn has_no_arguments(&self) -> bool {
        matches!(self.open.last(), Some((Unfinished::Call(function), _)) if function.before == self.operands.len())
    }

    fn opened(&mut self, open: Unfinished, column: usize) -> Result<bool, ExpressionError> {
        if self.open.len() >= DEEPEST {
            return error(column, format!("found a formula that is nested more than {DEEPEST} deep"));
        }
        self.open.push((open, column));
        Ok(false)
    }

    /// A variable, pi, or the start of a call; returns whether it is an operand.
    fn name(&mut self, name: &'a str, column: usize) -> Result<bool, ExpressionError> {
        let variable = self.variables.iter().position(|variable| *variable == name);
        if let Some(i) = variable.and_then(|i| u8::try_from(i).ok()) {
            let at = self.builder.push(Operation::Variable(i), place(column));
            self.operands.push(Operand { at, column, ratio: None });
            return Ok(true);
        }
        if name == "pi" {
            let at = self.builder.number(RealInterval::PI);
            self.operands.push(Operand { at, column, ratio: None });
            return Ok(true);
        }
        if let Some((name, make)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
            let (token, at) = self.tokens.next()?;
            if token != Token::Sign('(') {
                return error(at, format!("found {token}, expected \"(\" after {name}"));
            }
            let function = Function { name, make: *make, before: self.operands.len() };
            return self.opened(Unfinished::Call(function), column);
        }
        let called = matches!(self.tokens.clone().next(), Ok((Token::Sign('('), _)));
        let name = shortened(name);
        let variables = self.variables.join(", ");
        if called && !self.variables.contains(&name.as_str()) {
            let names: Vec<_> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
            let known = names.join(", ");
            return error(column, format!("found the unknown function \"{name}\", expected one of {known}"));
        }
        error(column, format!("found the unknown name \"{name}\", expected {variables}, pi or a function"))
    }

    /// Reads tokens where an operator is expected; returns whether the formula ends.
    fn operator(&mut self) -> Result<bool, ExpressionError> {
        loop {
            let (token, column) = self.tokens.next()?;
            match token {
                Token::Sign(sign @ ('+' | '-' | '*' | '/' | '^')) => {
                    let open = Unfinished::Binary(sign);
                    // Powers are right-associative.
                    let stays = open.strength() + u8::from(sign == '^');
                    self.reduce(stays)?;
                    self.opened(open, column)?;
                    return Ok(false);
                }
                Token::Sign(',') => {
                    self.reduce(1)?;
                    if matches!(self.open.last(), Some((Unfinished::Call(_), _))) {
                        return Ok(false);
                    }
                    return error(column, "found \",\" outside of a function's arguments".to_owned());
                }
                Token::Sign(')') => {
                    self.reduce(1)?;
                    match self.open.last() {
                        Some((Unfinished::Call(_), _)) => self.close_call()?,
                        Some((_, from)) => {
                            // The parenthesis belongs to the text of the operand.
                            let from = *from;
                            self.operands.last_mut().into_iter().for_each(|operand| operand.column = from);
                            self.open.pop();
                        }
                        None => {
                            let what = "found \")\" without its \"(\", expected an operator or the end";
                            return error(column, what.to_owned());
                        }
                    }
                }
                Token::End => {
                    self.reduce(1)?;
                    return match self.open.last() {
                        Some((_, from)) => error(
                            column,
                            format!(
                                "found the end, expected \")\" for the group that starts at column {from}"
                            ),
                        ),
                        None => Ok(true),
                    };
                }
                Token::Number(_) | Token::Name(_) | Token::Sign(_) => {
                    return error(column, format!("found {token}, expected an operator or the end"));
                }
            }
        }
    }

    /// Evaluates the open elements with at least this precedence.
    fn reduce(&mut self, strength: u8) -> Result<(), ExpressionError> {
        while let Some((open, column)) = self.open.pop() {
            if open.strength() < strength {
                self.open.push((open, column));
                break;
            }
            let Some(last) = self.operands.pop() else { break };
            match open {
                Unfinished::Negate => {
                    self.push_operation(Operation::Negate(last.at), column, column)?;
                    self.note_ratio(last.ratio.map(Ratio::negative));
                }
                Unfinished::Binary(sign) => {
                    let Some(first) = self.operands.pop() else { break };
                    let operation = match sign {
                        '+' => Operation::Add(first.at, last.at),
                        '-' => Operation::Subtract(first.at, last.at),
                        '*' => Operation::Multiply(first.at, last.at),
                        '/' => Operation::Divide(first.at, last.at),
                        _ => self.power(first, last)?,
                    };
                    self.push_operation(operation, column, first.column)?;
                    let ratio = first.ratio.zip(last.ratio).and_then(|(a, b)| a.combined(sign, b));
                    self.note_ratio(ratio);
                }
                Unfinished::Parenthesis | Unfinished::Call(_) => {}
            }
        }
        Ok(())
    }

    fn power(&self, base: Operand, exponent: Operand) -> Result<Operation, ExpressionError> {
        let Some(value) = self.builder.constant(exponent.at) else {
            return error(
                exponent.column,
                "found an exponent with a variable, expected a constant".to_owned(),
            );
        };
        let integer = value.is_point().then_some(value.lo).filter(|n| n.fract() == 0.0);
        if let Some(n) = exponent.ratio.and_then(Ratio::as_integer).or(integer) {
            return Ok(Operation::Power(base.at, n));
        }
        if exponent.ratio.is_none() && value.lo.ceil() <= value.hi && !value.is_point() {
            let what =
                "found an exponent that may be a whole number or only close to one, expected an exact one";
            return error(exponent.column, what.to_owned());
        }
        Ok(Operation::RealPower(base.at, value))
    }

    /// Records the last operand's value, if it is a fraction.
    fn note_ratio(&mut self, ratio: Option<Ratio>) {
        self.operands.last_mut().into_iter().for_each(|operand| operand.ratio = ratio);
    }

    /// Pushes an operation at a column as an operand whose text starts at `from`.
    fn push_operation(
        &mut self,
        operation: Operation,
        column: usize,
        from: usize,
    ) -> Result<(), ExpressionError> {
        if let Some(fault) = self.builder.fault(operation) {
            return error(column, format!("found {fault}, expected a formula that has a value"));
        }
        let at = self.builder.push(operation, place(column));
        self.operands.push(Operand { at, column: from, ratio: None });
        Ok(())
    }

    /// Closes the innermost open call, which becomes an operand.
    fn close_call(&mut self) -> Result<(), ExpressionError> {
        let Some((Unfinished::Call(function), column)) = self.open.pop() else { return Ok(()) };
        let arguments: Vec<u32> = self.operands.drain(function.before..).map(|operand| operand.at).collect();
        let expected = match (function.make, arguments.as_slice()) {
            (Make::One(make), [a]) => return self.push_operation(make(*a), column, column),
            (Make::Two(make), [a, b]) => return self.push_operation(make(*a, *b), column, column),
            (Make::Many(make), [first, second, others @ ..]) => {
                let begin = make(*first, *second);
                let Some((last, others)) = others.split_last() else {
                    return self.push_operation(begin, column, column);
                };
                let begin = self.builder.push(begin, place(column));
                let all = others
                    .iter()
                    .fold(begin, |so_far, at| self.builder.push(make(so_far, *at), place(column)));
                return self.push_operation(make(all, *last), column, column);
            }
            (Make::One(_), _) => "one argument (1)",
            (Make::Two(_), _) => "two arguments (2)",
            (Make::Many(_), _) => "two arguments or more",
        };
        let (name, found) = (function.name, arguments.len());
        error(column, format!("found {found} arguments of {name}, expected {expected}"))
    }
}

/// A column as stored: texts are shorter than 4 GiB.
fn place(column: usize) -> u32 {
    u32::try_from(column).unwrap_or(u32::MAX)
}
