//! Properties for any input: transposes, batches, empty tensors, no panic, no overflow.

use crate::shared::{inputs, numbers};
use efficiency::{
    Call, CollectiveKind, DataType, Launch, Limits, MODELS, Multiprocessor, Operands, PeakClass, Peaks, Splits,
    grid_unit, peaks_of, roofline, work, work_of_leaf,
};

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn of<'t>(&mut self, options: &[&'t str]) -> &'t str {
        options[self.below(options.len() as u64) as usize]
    }
}

const TYPES: &[&str] = &[
    "float",
    "c10::BFloat16",
    "c10::Half",
    "double",
    "long int",
    "bool",
    "Scalar",
    "ScalarList",
    "",
    "c10::Float8_e4m3fn",
    "c10::Float4_e2m1fn_x2",
    "TensorList",
    "c10::complex<double>",
];

const VALUES: &[&str] = &[
    "",
    "True",
    "False",
    "0",
    "1",
    "-1",
    "2",
    "[1, 1]",
    "[0]",
    "[]",
    "[True, True, False]",
    "9223372036854775807",
    "-9223372036854775808",
    "[9223372036854775807, -3]",
    "0.125",
    "nan",
    "6",
    "15",
];

fn shape(random: &mut Random) -> String {
    let sizes = [0, 1, 2, 3, 8, 64, 1 << 20, u64::MAX];
    let dims: Vec<String> = (0..random.below(6)).map(|_| sizes[random.below(8) as usize].to_string()).collect();
    format!("[{}]", dims.join(", "))
}

/// Arguments that may be anything.
fn any_operands(random: &mut Random) -> Operands {
    let count = random.below(18);
    let (mut dims, mut types, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        let is_list = random.below(6) == 0;
        dims.push(if is_list { format!("[{}, {}]", shape(random), shape(random)) } else { shape(random) });
        types.push(format!("'{}'", random.of(TYPES)));
        values.push(format!("'{}'", random.of(VALUES)));
    }
    let list = |list: &[String]| format!("[{}]", list.join(", "));
    Operands::parse(&list(&dims), &list(&types), &list(&values)).unwrap()
}

#[test]
fn every_model_answers_any_arguments_without_panic() {
    let mut random = Random(1);
    let mut answers = 0;
    for _ in 0..3_000 {
        let operands = any_operands(&mut random);
        for model in MODELS {
            let name = model.names[0].replace('*', "add_mul_0");
            let lengths = [[u64::MAX, u64::MAX], [1, 0]];
            let call = Call { lengths: &lengths, ..Call::new(&name, &operands) };
            answers += usize::from(work_of_leaf(&call).is_ok());
        }
    }
    assert!(answers > 1_000, "{answers}");
}

#[test]
fn any_text_is_read_without_panic() {
    let mut random = Random(2);
    let pieces = ["[", "]", "(", ")", ",", "'", "\"", "\\", "1", "-", "é", "float", " ", "null", "...", "="];
    for _ in 0..20_000 {
        let text: String = (0..random.below(24)).map(|_| random.of(&pieces)).collect();
        let _ = Operands::parse(&text, &text, &text);
        let _ = Operands::parse("[[1], []]", &text, &text);
        let _ = Splits::parse(&text, u64::MAX, DataType::F64);
        let _ = CollectiveKind::named(&text);
        let _ = DataType::named(&text);
        let _ = peaks_of(&text, Some(random.next()));
        let _ = Peaks::unknown("").overridden(&text);
        let _ = work(&Call::new(&text, &Operands::default()));
        let _ = work(&Call::new(&format!("triton_poi_fused_{text}_0"), &Operands::default()));
    }
    let long = "[".repeat(1 << 22);
    assert!(Operands::parse(&long, "", "").is_err());
    assert!(Operands::parse(&"[[1],".repeat(1 << 20), "", "").is_err());
}

#[test]
fn transposed_products_are_equal() {
    let mut random = Random(3);
    for _ in 0..200 {
        let [m, n, k] = [random.below(50), random.below(50), random.below(50)];
        let of = |[m, n, k]: [u64; 3]| {
            inputs(&format!("[[{m}, {k}], [{k}, {n}]]"), "['c10::BFloat16', 'c10::BFloat16']", "")
        };
        assert_eq!(numbers("aten::mm", &of([m, n, k])), numbers("aten::mm", &of([n, m, k])));
    }
}

#[test]
fn a_batch_is_the_sum_of_its_products() {
    let mut random = Random(4);
    for _ in 0..200 {
        let [b, m, n, k] = [random.below(9), random.below(50), random.below(50), random.below(50)];
        let types = "['float', 'float']";
        let (flops, bytes) = numbers("aten::mm", &inputs(&format!("[[{m}, {k}], [{k}, {n}]]"), types, ""));
        let batch = inputs(&format!("[[{b}, {m}, {k}], [{b}, {k}, {n}]]"), types, "");
        assert_eq!(numbers("aten::bmm", &batch), (flops * u128::from(b), bytes * u128::from(b)));
    }
}

#[test]
fn empty_tensors_cost_no_operations() {
    let types = "['float', 'float']";
    assert_eq!(numbers("aten::mm", &inputs("[[0, 24], [24, 128]]", types, "")), (0, 4 * 24 * 128));
    assert_eq!(numbers("aten::add", &inputs("[[0, 4], [4]]", types, "")), (0, 16));
    assert_eq!(numbers("aten::sum", &inputs("[[0], []]", "['float', '']", "")), (0, 4));
    let huge = format!("[[{0}, {0}, {0}], [{0}, {0}, {0}]]", u64::MAX);
    assert_eq!(numbers("aten::bmm", &inputs(&huge, types, "")).0, u128::MAX);
    let huge = format!("[[0, {0}, {0}], [0, {0}, {0}]]", u64::MAX);
    assert_eq!(numbers("aten::bmm", &inputs(&huge, types, "")), (0, 0));
}

#[test]
fn shares_of_random_work_are_exact() {
    let mut random = Random(5);
    for _ in 0..500 {
        let dims = format!("[[{}, 64], [64, {}]]", 1 + random.below(500), 1 + random.below(500));
        let work = work(&Call::new("aten::mm", &inputs(&dims, "['float', 'float']", ""))).unwrap();
        assert_eq!(work.peak, PeakClass::Fp32);
        let limits = Limits { tflops: 1.0 + random.below(1000) as f64, bandwidth: 1.0 + random.below(5000) as f64 };
        let fast = roofline(&work, 1000.0, limits).unwrap();
        let slow = roofline(&work, 2000.0, limits).unwrap();
        assert!((fast.share / slow.share - 2.0).abs() < 1e-12);
        assert!((roofline(&work, fast.least_ns, limits).unwrap().share - 1.0).abs() < 1e-12);
    }
}

#[test]
fn launches_of_any_size_are_answered_without_panic() {
    let mut random = Random(6);
    let sizes = [0, 1, 31, 32, 1024, 65_536, u64::MAX];
    for _ in 0..20_000 {
        let mut size = || sizes[random.below(7) as usize];
        let launch = Launch {
            grid: [size(), size(), size()],
            block: [size(), size(), 1],
            registers: Some(size()),
            shared_memory: Some(size()),
        };
        let device = Multiprocessor {
            count: size(),
            capability: (9, 0),
            warp: 32,
            threads: size(),
            registers: Some(size()),
            shared_memory: Some(size()),
        };
        if let Ok(limits) = efficiency::BlockLimits::of(&launch, &device) {
            let found = efficiency::occupancy(&launch, &device, &limits);
            assert!((0.0..=1.0).contains(&found.achieved), "{found:?}");
        }
        let _ = grid_unit(&[launch; 9]);
    }
}
