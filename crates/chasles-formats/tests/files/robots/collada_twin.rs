//! The slow twin: points are transformed by the nodes one at a time, from the inside out.

use chasles_testing::Random;
use glam::DVec3;

use crate::robots::collada::{file, parse};
use crate::robots::support::{signed, vector};

/// A transform as in the file, and its effect on a point.
#[derive(Debug, Clone)]
enum Step {
    Translate(DVec3),
    Scale(DVec3),
    Rotate(DVec3, f64),
    Matrix([[f64; 4]; 3]),
}

impl Step {
    fn random(random: &mut Random) -> Self {
        match random.below(4) {
            0 => Self::Translate(vector(random)),
            1 => {
                let factor = |random: &mut Random| {
                    let size = signed(random).abs() + 0.25;
                    if random.below(3) == 0 { -size } else { size }
                };
                Self::Scale(DVec3::new(factor(random), factor(random), factor(random)))
            }
            2 => Self::Rotate(vector(random) + DVec3::new(0.0, 0.0, 3.0), 360.0 * signed(random)),
            _ => {
                let row = |random: &mut Random, i: usize| {
                    let mut row = [0; 4].map(|_| 0.2 * signed(random));
                    row[i] += if random.below(4) == 0 { -1.0 } else { 1.0 };
                    row
                };
                Self::Matrix([row(random, 0), row(random, 1), row(random, 2)])
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Translate(v) => format!("<translate>{:?} {:?} {:?}</translate>", v.x, v.y, v.z),
            Self::Scale(v) => format!("<scale>{:?}\n{:?} {:?}</scale>", v.x, v.y, v.z),
            Self::Rotate(v, angle) => format!("<rotate>{:?} {:?} {:?} {angle:?}</rotate>", v.x, v.y, v.z),
            Self::Matrix(rows) => {
                let words = rows.iter().flatten().map(|x| format!("{x:?} ")).collect::<String>();
                format!("<matrix>{words} 0 0 0 1</matrix>")
            }
        }
    }

    fn apply(&self, p: DVec3) -> DVec3 {
        match self {
            Self::Translate(v) => p + *v,
            Self::Scale(v) => DVec3::new(p.x * v.x, p.y * v.y, p.z * v.z),
            Self::Rotate(axis, degrees) => {
                let unit = *axis / axis.length();
                let (sin, cos) = (degrees * std::f64::consts::PI / 180.0).sin_cos();
                p * cos + unit.cross(p) * sin + unit * (unit.dot(p) * (1.0 - cos))
            }
            Self::Matrix(rows) => {
                let dot = |row: &[f64; 4]| row[0] * p.x + row[1] * p.y + row[2] * p.z + row[3];
                DVec3::new(dot(&rows[0]), dot(&rows[1]), dot(&rows[2]))
            }
        }
    }
}

/// The content of a random file: the triangles as points, in order.
struct Picture {
    text: String,
    triangles: Vec<[DVec3; 3]>,
}

struct Maker<'a> {
    random: &'a mut Random,
    points: Vec<DVec3>,
    faces: Vec<[usize; 3]>,
    triangles: Vec<[DVec3; 3]>,
}

impl Maker<'_> {
    /// The text of a node; the transforms above it are given, the outermost first.
    fn node(&mut self, above: &[Step], depth: usize) -> String {
        let own: Vec<_> = (0..self.random.below(3)).map(|_| Step::random(self.random)).collect();
        let steps = [above, &own].concat();
        let mut text = "<node>".to_owned() + &own.iter().map(Step::text).collect::<String>();
        if self.random.below(3) > 0 {
            text += "<extra/><instance_geometry url='#g'/>";
            self.show(&steps);
        }
        for _ in 0..if depth < 4 { self.random.below(3) } else { 0 } {
            text += &self.node(&steps, depth + 1);
        }
        text + "</node>"
    }

    fn show(&mut self, steps: &[Step]) {
        let through = |p: DVec3| steps.iter().rev().fold(p, |p, step| step.apply(p));
        // Whether the images of the three axes are mirrored, whatever the transforms.
        let zero = through(DVec3::ZERO);
        let [x, y, z] = DVec3::AXES.map(|axis| through(axis) - zero);
        let mirrored = x.cross(y).dot(z) < 0.0;
        for &[a, b, c] in &self.faces {
            let face = if mirrored { [a, c, b] } else { [a, b, c] };
            self.triangles.push(face.map(|corner| through(self.points[corner])));
        }
    }
}

fn picture(random: &mut Random) -> Picture {
    let points: Vec<_> = (0..3 + random.below(5)).map(|_| vector(random)).collect();
    let mut faces = vec![];
    for _ in 0..1 + random.below(4) {
        faces.push([0; 3].map(|_: i32| random.below(points.len())));
    }
    let floats: String = points.iter().map(|p| format!("{:?} {:?} {:?}\n", p.x, p.y, p.z)).collect();
    let stride = 1 + random.below(3);
    let offset = random.below(stride);
    let numbers = |face: &[usize; 3]| {
        let corner = |corner: &usize| {
            (0..stride)
                .map(|i| if i == offset { format!("{corner} ") } else { "77 ".into() })
                .collect::<String>()
        };
        face.iter().map(corner).collect::<String>()
    };
    let inputs: String = (0..stride)
        .map(|i| {
            let semantic = if i == offset { "VERTEX" } else { "TEXCOORD" };
            format!("<input semantic='{semantic}' source='#v' offset='{i}'/>")
        })
        .collect();
    let all: Vec<_> = faces.iter().map(numbers).collect();
    let primitives = match random.below(4) {
        0 => format!("<triangles count='{}'>{inputs}<p>{}</p></triangles>", all.len(), all.concat()),
        1 => {
            let counts = "3 ".repeat(all.len());
            format!(
                "<polylist count='{}'>{inputs}<vcount>{counts}</vcount><p>{}</p></polylist>",
                all.len(),
                all.concat()
            )
        }
        2 => {
            let lists: String = all.iter().map(|p| format!("<p>{p}</p>")).collect();
            format!("<polygons count='{}'>{inputs}{lists}</polygons>", all.len())
        }
        _ => all.iter().map(|p| format!("<trifans>{inputs}<p>{p}</p></trifans>")).collect(),
    };
    let mesh = format!(
        "<source id='p'><float_array id='pa'>{floats}</float_array><technique_common>\
         <accessor source='#pa' count='{}' stride='3'/></technique_common></source>\
         <vertices id='v'><input semantic='POSITION' source='#p'/></vertices>{primitives}",
        points.len()
    );
    let unit = [1.0, 0.001, 0.0254][random.below(3)];
    let mut maker = Maker { random, points, faces, triangles: vec![] };
    let outer = [Step::Scale(DVec3::splat(unit))];
    let nodes = maker.node(&outer, 0) + &maker.node(&outer, 0);
    let head = format!("<asset><unit meter='{unit:?}'/></asset>");
    Picture { text: file(&head, &mesh, &nodes), triangles: maker.triangles }
}

#[test]
fn random_files_equal_the_reference_reader() {
    let (mut shown, mut empty) = (0, 0);
    for seed in 1..chasles_testing::cases(400, 2000) {
        let random = &mut Random(seed);
        let Picture { text, triangles } = picture(random);
        let read = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(read.triangles.len(), triangles.len(), "seed {seed}");
        for (found, expected) in read.triangles.iter().zip(&triangles) {
            for (corner, point) in found.iter().zip(expected) {
                let distance = read.vertices[*corner as usize].distance(*point);
                assert!(distance < 1e-12, "seed {seed}: {distance:e}");
            }
        }
        shown += triangles.len();
        empty += usize::from(triangles.is_empty());
    }
    assert!(shown > 1_300 && empty < 600, "{shown} {empty}");
}
