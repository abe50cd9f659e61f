//! Agreement with HTA's config, and value semantics.
#![allow(clippy::unwrap_used)]

use super::*;
use std::collections::BTreeSet;

#[test]
fn table_and_groups_equal_htas() {
    let keys: BTreeSet<&str> = AVAILABLE_ARGS.iter().map(|arg| arg.key).collect();
    let columns: BTreeSet<&str> = AVAILABLE_ARGS.iter().map(|arg| arg.column.name).collect();
    let raw: BTreeSet<&str> = AVAILABLE_ARGS.iter().map(|arg| arg.raw_name).collect();
    assert_eq!([keys.len(), columns.len(), raw.len()], [AVAILABLE_ARGS.len(); 3]);
    assert_eq!(AVAILABLE_ARGS.len(), 53);
    for group in ARG_GROUPS {
        assert!(!group.keys().is_empty() && group.keys().iter().all(|key| keys.contains(key)), "{}", group.name);
    }
    assert_eq!(ParserConfig::ARGS_COMPLETE.keys().len(), 48);
    assert_eq!(ParserConfig::ARGS_DEFAULT.keys().len(), 20);
    let parts = ["minimum", "bandwidth", "sync", "input_shape", "index", "communication"];
    assert_eq!(parts.join(",").parse::<ParserConfig>().unwrap(), ParserConfig::new(ParserConfig::ARGS_DEFAULT));
}

#[test]
fn changing_a_copy_leaves_the_original() {
    let one = ParserConfig::new(ParserConfig::ARGS_MINIMUM);
    let two = one.clone().add_args(ParserConfig::ARGS_SYNC);
    assert_eq!((one.get_args().unwrap().len(), two.get_args().unwrap().len()), (2, 4));
    assert_eq!(ParserConfig::ARGS_MINIMUM.keys().len(), 2);
    let three = two.clone().set_args(ParserConfig::ARGS_BANDWIDTH);
    assert_eq!(two.get_args().unwrap().len(), 4);
    assert_eq!(three.get_fingerprint_key(), (vec!["bytes".to_owned(), "memory_bw_gbps".to_owned()], false));
    assert_eq!(ParserConfig::new([]), ParserConfig::new(ParserConfig::ARGS_DEFAULT));
}

#[test]
fn first_argument_of_a_column_counts() {
    let mine = AttributeSpec::new("bytes", "Size", ValueType::Int);
    let config = ParserConfig::new([mine.clone()]).add_args(ParserConfig::ARGS_BANDWIDTH);
    assert_eq!(config.get_args().unwrap()[0], mine);
    assert_eq!(config.get_args().unwrap().len(), 2);
}

#[test]
fn a_selector_chooses_columns_and_names_the_unknown() {
    let config = ParserConfig::new(ParserConfig::ARGS_DEFAULT).set_args_selector(Some(["stream", "bytes"]));
    let names: Vec<String> = config.get_args().unwrap().into_iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["stream", "bytes"]);
    let unknown = config.set_args_selector(Some(["strm"])).get_args().unwrap_err().to_string();
    assert!(unknown.contains("`strm`"), "{unknown}");
}

#[test]
fn texts_are_parsed_as_groups_and_keys() {
    let config: ParserConfig = "input_shape, cpu_op::sequence_number,sm::occupancy".parse().unwrap();
    let names: Vec<String> = config.get_args().unwrap().into_iter().map(|spec| spec.name).collect();
    let expected = ["stream", "correlation", "input_dims", "input_type", "input_strides", "sequence", "est_occupancy"];
    assert_eq!(names, expected);
    assert!("all".parse::<ParserConfig>().unwrap().parse_all_args());
    for wrong in ["", "input_shapes", "minimum,,sync"] {
        assert!(wrong.parse::<ParserConfig>().is_err(), "{wrong:?}");
    }
}

#[test]
fn versions_are_parsed_and_ordered() {
    assert_eq!(YamlVersion::from_string("1.2.3").unwrap(), YamlVersion::new(1, 2, 3));
    for wrong in ["1.2", "a.b.c", "1.2.3.4", ""] {
        assert!(YamlVersion::from_string(wrong).is_err(), "{wrong:?}");
    }
    let later = ParserConfig::get_versioned_cfg(YamlVersion::new(1, 2, 0)).unwrap();
    assert_eq!(later.get_args().unwrap(), ParserConfig::get_default_args());
    assert!(ParserConfig::get_versioned_cfg(YamlVersion::new(0, 9, 0)).is_err());
    let hash = AVAILABLE_ARGS.iter().find(|arg| arg.key == "cpu_op::kernel_hash").unwrap();
    assert_eq!(hash.min_supported_version.to_string(), "1.1.0");
    let (mut one, two) = (hash.spec(), hash.spec());
    one.min_supported_version = YamlVersion::default();
    assert_eq!(one, two);
}

#[test]
fn reader_decides_what_is_skipped_unless_set() {
    let config = ParserConfig::new([]);
    assert!(config.skip_event_types().is_empty());
    let ijson = config.set_parser_backend(ParserBackend::Ijson);
    assert_eq!(ijson.skip_event_types(), BTreeSet::from(["python_function".to_owned()]));
    assert!(ijson.clone().set_skip_event_types(None::<[&str; 0]>).skip_event_types().is_empty());
    assert_eq!(ijson.set_skip_event_types(Some(["kernel"])).skip_event_types().len(), 1);
}

#[test]
fn columns_are_named_as_hta_names_them() {
    for (raw, column) in [
        ("My Key (x)", "my_key"),
        ("A.B/C-D", "a_b_c_d"),
        ("Trace name", "trace_name"),
        ("memory bandwidth (GB/s)", "memory_bandwidth"),
        ("name", "arg_name"),
        ("est. achieved occupancy %", "est_achieved_occupancy"),
        ("open (bracket", "open_(bracket"),
        ("%", "arg"),
    ] {
        assert_eq!(column_of(raw), column, "{raw}");
    }
}
