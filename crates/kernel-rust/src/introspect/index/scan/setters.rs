//! Setters of plotly's `#[derive(FieldSetter)]`: one method per optional field, and a second one, `…_array`, for fields with one
//! value per point.

use super::Docs;
use super::attributes::{doc, one_line};
use super::item::Item;
use crate::introspect::index::Kind;
use ra_ap_syntax::AstNode;
use ra_ap_syntax::ast::{self, HasAttrs, HasName};

/// Returns the setters of a struct; `None` if it does not derive them.
pub(super) fn of(item: &ast::Struct, docs: Docs) -> Option<Vec<Item>> {
    let attributes = attributes(item);
    if !attributes.iter().any(|text| text.starts_with("#[derive(") && text.contains("FieldSetter")) {
        return None;
    }
    let boxed = attributes.iter().any(|text| text.starts_with("#[field_setter(") && text.contains("box_self"));
    let result = if boxed { "Box<Self>" } else { "Self" };
    let ast::FieldList::RecordFieldList(list) = item.field_list()? else { return None };
    let mut setters = Vec::new();
    for field in list.fields() {
        let attributes = self::attributes(&field).into_iter().filter(|text| text.starts_with("#[field_setter("));
        let options: String = attributes.collect();
        let (Some(name), Some(ty)) = (field.name(), field.ty()) else { continue };
        let ty = one_line(&ty.syntax().text().to_string());
        let Some(inner) = argument(&ty, "Option").filter(|_| !options.contains("skip")) else { continue };
        let name = name.text().to_string();
        let doc = doc(field.syntax(), docs);
        let mut setter = |ending: &str, value: &str| {
            let name = format!("{name}{ending}");
            let signature = format!("fn {name}(mut self, value: {value}) -> {result}");
            setters.push(Item { kind: Kind::Method, name, signature, doc: doc.clone(), public: true });
        };
        let (value, each) = parameter_type(inner);
        setter("", &value);
        if each {
            setter("_array", &format!("Vec<{value}>"));
        }
        if options.contains("with_matrix") {
            setter("_matrix", &format!("Vec<Vec<{value}>>"));
        }
    }
    Some(setters)
}

fn attributes(item: &impl HasAttrs) -> Vec<String> {
    item.attrs().map(|attr| attr.syntax().text().to_string().split_whitespace().collect()).collect()
}

/// Returns the parameter type of the setter for a field `Option<inner>`, and whether the field may have one value per point.
fn parameter_type(inner: &str) -> (String, bool) {
    if let Some(each) = argument(inner, "Dim") {
        return (parameter_type(each).0, true);
    }
    if let Some(each) = argument(inner, "Vec") {
        return (format!("Vec<{}>", parameter_type(each).0), false);
    }
    if let Some(boxed) = argument(inner, "Box") {
        return (boxed.strip_prefix("dyn ").map_or_else(|| boxed.to_owned(), |name| format!("impl {name}")), false);
    }
    let value = match inner {
        "String" => "impl AsRef<str>",
        "NumOrString" => "impl Into<NumOrString>",
        "NumOrStringCollection" => "Vec<impl Into<NumOrString> + Clone>",
        "Title" => "impl Into<Title>",
        "LegendGroupTitle" => "impl Into<LegendGroupTitle>",
        other => other,
    };
    (value.to_owned(), false)
}

/// Returns `T` of `head<T>`.
fn argument<'a>(ty: &'a str, head: &str) -> Option<&'a str> {
    ty.strip_prefix(head)?.strip_prefix('<')?.strip_suffix('>').map(str::trim)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use ra_ap_syntax::ast::HasModuleItem;
    use ra_ap_syntax::{Edition, SourceFile};

    fn setters(text: &str) -> Option<Vec<(String, String)>> {
        let file = SourceFile::parse(text, Edition::Edition2024).tree();
        let Some(ast::Item::Struct(item)) = file.items().next() else { panic!("{text}") };
        Some(of(&item, Docs::Summary)?.into_iter().map(|item| (item.signature, item.doc)).collect())
    }

    #[test]
    fn field_setters_are_those_of_the_derive() {
        let text = r#"
            #[derive(Serialize, Clone, FieldSetter)]
            #[field_setter(box_self, kind = "trace")]
            pub struct Bar<X> {
                #[field_setter(default = "PlotType::Bar")]
                r#type: PlotType,
                /// What the legend says.
                name: Option<String>,
                text: Option<Dim<String>>,
                #[field_setter(skip)]
                x: Option<Vec<X>>,
                color: Option<Dim<Box<dyn Color>>>,
                marker: Option<Marker>,
            }"#;
        let found = setters(text).unwrap();
        let signatures: Vec<&str> = found.iter().map(|(signature, _)| signature.as_str()).collect();
        assert_eq!(
            signatures,
            [
                "fn name(mut self, value: impl AsRef<str>) -> Box<Self>",
                "fn text(mut self, value: impl AsRef<str>) -> Box<Self>",
                "fn text_array(mut self, value: Vec<impl AsRef<str>>) -> Box<Self>",
                "fn color(mut self, value: impl Color) -> Box<Self>",
                "fn color_array(mut self, value: Vec<impl Color>) -> Box<Self>",
                "fn marker(mut self, value: Marker) -> Box<Self>",
            ]
        );
        assert_eq!(found[0].1, "What the legend says.");
        assert_eq!(setters("#[derive(Clone)] struct Plain { a: Option<u8> }"), None);
    }
}
