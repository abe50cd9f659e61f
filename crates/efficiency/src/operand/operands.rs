//! The inputs of one operator: shapes, types and the values that were recorded.

use super::data_type::DataType;
use super::nested::{Nested, read};
use super::tensor::{MOST_DIMENSIONS, Tensor};
use std::fmt;

/// The inputs of an operator, in the order of its arguments.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Operands {
    operands: Vec<Operand>,
}

#[derive(Debug, Clone, PartialEq)]
struct Operand {
    shape: Shape,
    /// The type of its elements, if it is a tensor.
    element: Option<DataType>,
    /// The types of a list of tensors, where they are recorded.
    elements: Vec<Option<DataType>>,
    is_list: bool,
    value: Value,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    /// Of a tensor; empty also for what is no tensor.
    One(Vec<u64>),
    /// Of each tensor of a list.
    Many(Vec<Vec<u64>>),
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    None,
    Bool(bool),
    Int(i64),
    Ints(Vec<i64>),
    Bools(Vec<bool>),
    Other,
}

/// Reasons why the inputs of an operator cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// The text of shapes is something else.
    Dims,
    /// The text of types is something else, or has another length.
    Types,
    /// The text of values is something else.
    Concrete,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dims => "invalid `Input Dims`: expected a list of shapes such as [[2, 3], []]",
            Self::Types => "invalid `Input type`: expected a list of one name for each shape",
            Self::Concrete => "invalid `Concrete Inputs`: expected a list of texts such as [\"\", \"[1, 1]\"]",
        })
    }
}

impl std::error::Error for Unreadable {}

impl Operands {
    /// Reads `Input Dims`, `Input type` and `Concrete Inputs` of an operator; pass an empty text for what was not recorded.
    pub fn parse(dims: &str, types: &str, concrete: &str) -> Result<Self, Unreadable> {
        let list = |text: &str, reason: Unreadable| match read(text) {
            Some(Nested::List(list)) => Ok(list),
            _ if text.trim().is_empty() || text.trim() == "null" => Ok(Vec::new()),
            _ => Err(reason),
        };
        let shapes = list(dims, Unreadable::Dims)?;
        let types = list(types, Unreadable::Types)?;
        let values = list(concrete, Unreadable::Concrete)?;
        if !types.is_empty() && types.len() != shapes.len() {
            return Err(Unreadable::Types);
        }
        let mut values = values.iter();
        let mut types = types.iter();
        let mut operands = Vec::with_capacity(shapes.len());
        for shape in &shapes {
            let shape = self::shape(shape).ok_or(Unreadable::Dims)?;
            let (mut element, mut elements) = (None, Vec::new());
            let mut is_list = matches!(shape, Shape::Many(_));
            match types.next() {
                Some(Nested::Word(name)) => {
                    element = DataType::named(name);
                    is_list |= name == "TensorList";
                }
                Some(Nested::List(names)) => {
                    is_list = true;
                    elements = names
                        .iter()
                        .map(|name| if let Nested::Word(name) = name { DataType::named(name) } else { None })
                        .collect();
                }
                None => {}
            }
            let value = values.next().map_or(Value::None, value);
            operands.push(Operand { shape, element, elements, is_list, value });
        }
        Ok(Self { operands })
    }

    /// Returns the number of arguments.
    pub fn len(&self) -> usize {
        self.operands.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.operands.is_empty()
    }

    /// Returns the dimensions of an argument; `None` for lists of tensors and behind the last argument.
    pub fn dims(&self, at: usize) -> Option<&[u64]> {
        match &self.operands.get(at)?.shape {
            Shape::One(dims) => Some(dims),
            Shape::Many(_) => None,
        }
    }

    /// Returns the type of the elements of an argument, if it is a tensor.
    pub fn data_type(&self, at: usize) -> Option<DataType> {
        self.operands.get(at)?.element
    }

    /// The tensor at an argument, also one without dimensions.
    pub(crate) fn tensor(&self, at: usize) -> Option<Tensor<'_>> {
        Some(Tensor { dims: self.dims(at)?, element: self.data_type(at)? })
    }

    /// All tensors among the arguments.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = Tensor<'_>> {
        (0..self.len()).filter_map(|at| self.tensor(at))
    }

    /// The tensors of a list; `fallback` is the type of those whose type is not recorded. `None` if the argument is no list, or its
    /// shapes are not recorded.
    pub(crate) fn list(&self, at: usize, fallback: DataType) -> Option<Vec<Tensor<'_>>> {
        let operand = self.operands.get(at)?;
        let shapes: Vec<&[u64]> = match &operand.shape {
            Shape::Many(shapes) => shapes.iter().map(Vec::as_slice).collect(),
            // A list of one tensor without dimensions reads like a shape.
            Shape::One(_) => return None,
        };
        let mut elements = operand.elements.iter().copied();
        let tensor = |dims| Tensor { dims, element: elements.next().flatten().unwrap_or(fallback) };
        operand.is_list.then(|| shapes.into_iter().map(tensor).collect())
    }

    /// Whether the type of any tensor of a list is not recorded.
    pub(crate) fn has_untyped_list(&self, at: usize) -> bool {
        self.operands.get(at).is_some_and(|operand| {
            let tensors = if let Shape::Many(shapes) = &operand.shape { shapes.len() } else { 0 };
            tensors > operand.elements.iter().flatten().count()
        })
    }

    /// The recorded whole number of an argument.
    pub(crate) fn int(&self, at: usize) -> Option<i64> {
        if let Value::Int(value) = self.operands.get(at)?.value { Some(value) } else { None }
    }

    /// The recorded truth value of an argument.
    pub(crate) fn bool(&self, at: usize) -> Option<bool> {
        match self.operands.get(at)?.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The recorded whole numbers of an argument: a list, or one number.
    pub(crate) fn ints(&self, at: usize) -> Option<Vec<i64>> {
        match &self.operands.get(at)?.value {
            Value::Ints(values) => Some(values.clone()),
            Value::Int(value) => Some(vec![*value]),
            _ => None,
        }
    }

    /// The recorded truth values of an argument.
    pub(crate) fn bools(&self, at: usize) -> Option<&[bool]> {
        if let Value::Bools(values) = &self.operands.get(at)?.value { Some(values) } else { None }
    }
}

/// Reads a shape, or the shapes of a list of tensors.
fn shape(nested: &Nested) -> Option<Shape> {
    let Nested::List(list) = nested else { return None };
    // Shapes of lists may contain `[]` for tensors without dimensions.
    if list.iter().any(|one| matches!(one, Nested::List(_))) {
        return list.iter().map(dims).collect::<Option<_>>().map(Shape::Many);
    }
    dims(nested).map(Shape::One)
}

fn dims(nested: &Nested) -> Option<Vec<u64>> {
    let Nested::List(list) = nested else { return None };
    if list.len() > MOST_DIMENSIONS {
        return None;
    }
    list.iter().map(|dim| if let Nested::Word(dim) = dim { dim.parse().ok() } else { None }).collect()
}

/// Reads the recorded value of an argument, a text within a list.
fn value(nested: &Nested) -> Value {
    let list = match nested {
        Nested::Word(text) => match text.trim() {
            "" => return Value::None,
            "True" | "true" => return Value::Bool(true),
            "False" | "false" => return Value::Bool(false),
            text => {
                if let Ok(value) = text.parse() {
                    return Value::Int(value);
                }
                match read(text) {
                    Some(Nested::List(list)) if text.starts_with(['[', '(']) => list,
                    _ => return Value::Other,
                }
            }
        },
        Nested::List(list) => list.clone(),
    };
    let words = || list.iter().map(|one| if let Nested::Word(word) = one { Some(word.as_str()) } else { None });
    if let Some(values) = words().map(|word| word?.parse().ok()).collect::<Option<Vec<i64>>>() {
        return Value::Ints(values);
    }
    let bools = words().map(|word| match word? {
        "True" | "true" => Some(true),
        "False" | "false" => Some(false),
        _ => None,
    });
    bools.collect::<Option<Vec<bool>>>().map_or(Value::Other, Value::Bools)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_convolution_is_read() {
        let operands = Operands::parse(
            "[[3, 3, 28, 28], [16, 3, 3, 3], [], [], []]",
            "[\"float\", \"c10::Half\", \"\", \"ScalarList\", \"Scalar\"]",
            "[\"\", \"\", \"\", \"[2, 2]\", \"False\"]",
        )
        .unwrap();
        assert_eq!(operands.len(), 5);
        let input = operands.tensor(0).unwrap();
        assert_eq!((input.numel(), input.half_bytes()), (7056, 56448));
        assert_eq!(operands.data_type(1), Some(DataType::F16));
        assert_eq!(operands.tensor(2), None);
        assert_eq!(operands.ints(3), Some(vec![2, 2]));
        assert_eq!(operands.bool(4), Some(false));
    }

    #[test]
    fn lists_of_tensors_have_shapes_and_types() {
        let text = "[[[2, 3], [4]], []]";
        let untyped = Operands::parse(text, "[\"TensorList\", \"Scalar\"]", "").unwrap();
        assert!(untyped.has_untyped_list(0) && !untyped.has_untyped_list(1));
        let sizes = |operands: &Operands| {
            operands.list(0, DataType::F32).unwrap().iter().map(Tensor::half_bytes).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&untyped), [48, 32]);
        let typed = Operands::parse(text, "[[\"c10::Half\", \"float\"], \"Scalar\"]", "").unwrap();
        assert!(!typed.has_untyped_list(0));
        assert_eq!(sizes(&typed), [24, 32]);
    }

    #[test]
    fn what_is_not_recorded_is_missing() {
        let operands = Operands::parse("[[2], [3]]", "", "").unwrap();
        assert_eq!((operands.dims(1), operands.data_type(1), operands.int(1)), (Some(&[3][..]), None, None));
        assert!(Operands::parse("", "", "").unwrap().is_empty());
        assert!(Operands::parse("null", "", "").unwrap().is_empty());
        assert_eq!(operands.dims(2), None);
    }

    #[test]
    fn broken_texts_have_reasons() {
        assert_eq!(Operands::parse("[[-1]]", "", ""), Err(Unreadable::Dims));
        assert_eq!(Operands::parse("7", "", ""), Err(Unreadable::Dims));
        assert_eq!(Operands::parse("[[1]]", "[]]", ""), Err(Unreadable::Types));
        assert_eq!(Operands::parse("[[1]]", "[\"float\", \"float\"]", ""), Err(Unreadable::Types));
        assert_eq!(Operands::parse("[[1]]", "[\"float\"]", "["), Err(Unreadable::Concrete));
        assert!(Unreadable::Dims.to_string().starts_with("invalid `Input Dims`: expected"));
    }
}
