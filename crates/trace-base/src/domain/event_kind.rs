//! Kinds of events, by their category.

/// The kind of an event: one definition for all that reads events.
///
/// Profilers have used several names for one kind. The categories of [`EventKind::of_category`] are those of Kineto from 2021 to now, of
/// CUDA, ROCm, XPU, HPU and MTIA, and of other backends (`privateuse1`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// An operator of the framework, on the CPU.
    Operator,
    /// An annotation of the user or the profiler, on the CPU: a step, `record_function`.
    Annotation,
    /// A Python function or a module.
    Python,
    /// A call of the runtime or the driver of a device: a launch, a copy, a wait.
    Call,
    /// A kernel of a device.
    Kernel,
    /// A copy or a fill of memory of a device.
    Memory,
    /// A wait of a device or for a device, which is no work.
    Sync,
    /// An annotation that the profiler drew above the work of a device.
    DeviceAnnotation,
    /// A span that the profiler drew around the recording.
    Span,
    /// A flow, a counter, and what is not known.
    Other,
}

/// Categories of one kind, other than runtime and driver calls, which are told by the end of their name.
const CATEGORIES: [(&str, EventKind); 24] = [
    (EventKind::OPERATOR, EventKind::Operator),
    // Of 2021.
    ("Operator", EventKind::Operator),
    (EventKind::ANNOTATION, EventKind::Annotation),
    (EventKind::PYTHON, EventKind::Python),
    ("Python", EventKind::Python),
    ("Runtime", EventKind::Call),
    (EventKind::KERNEL, EventKind::Kernel),
    ("Kernel", EventKind::Kernel),
    ("mtia_ccp_events", EventKind::Kernel),
    ("hpu_op", EventKind::Kernel),
    (EventKind::MEMCPY, EventKind::Memory),
    ("Memcpy", EventKind::Memory),
    (EventKind::MEMSET, EventKind::Memory),
    ("Memset", EventKind::Memory),
    ("mtia_dma", EventKind::Memory),
    (EventKind::SYNC, EventKind::Sync),
    ("xpu_sync", EventKind::Sync),
    ("cuda_event", EventKind::Sync),
    (EventKind::DEVICE_ANNOTATION, EventKind::DeviceAnnotation),
    // XCCL records a collective beside its kernels.
    ("collective_comm", EventKind::DeviceAnnotation),
    ("mtia_insight", EventKind::Other),
    ("mtia_counters", EventKind::Other),
    ("hardware_counters", EventKind::Other),
    ("Trace", EventKind::Span),
];

impl EventKind {
    /// The category of operators that today's profilers write.
    pub const OPERATOR: &'static str = "cpu_op";
    /// That of annotations on the CPU.
    pub const ANNOTATION: &'static str = "user_annotation";
    /// That of Python functions and modules.
    pub const PYTHON: &'static str = "python_function";
    /// That of calls of the CUDA runtime.
    pub const RUNTIME: &'static str = "cuda_runtime";
    /// That of calls of the CUDA driver.
    pub const DRIVER: &'static str = "cuda_driver";
    /// That of kernels.
    pub const KERNEL: &'static str = "kernel";
    /// That of copies.
    pub const MEMCPY: &'static str = "gpu_memcpy";
    /// That of fills.
    pub const MEMSET: &'static str = "gpu_memset";
    /// That of waits.
    pub const SYNC: &'static str = "cuda_sync";
    /// That of annotations drawn above work of a device.
    pub const DEVICE_ANNOTATION: &'static str = "gpu_user_annotation";
    /// That of ranges with counters of the device, which are recorded instead of kernels.
    pub const COUNTER_RANGE: &'static str = "cuda_profiler_range";

    /// Returns the kind of events of a category. An operator that is a step of the profiler is an annotation nevertheless: see
    /// [`EventKind::of`].
    pub fn of_category(cat: &str) -> Self {
        if cat.ends_with("_runtime") || cat.ends_with("_driver") {
            return Self::Call;
        }
        CATEGORIES.iter().find(|(name, _)| *name == cat).map_or(Self::Other, |(_, kind)| *kind)
    }

    /// Returns the kind of an event of the kind of its category, whose name is that of a step or not: in 2021, Kineto wrote steps as
    /// operators.
    pub fn of(of_category: Self, is_step: impl FnOnce() -> bool) -> Self {
        if of_category == Self::Operator && is_step() { Self::Annotation } else { of_category }
    }

    /// Returns the name of the events of this kind; `None` for what is not known, which has only its category.
    pub fn plural(self) -> Option<&'static str> {
        match self {
            Self::Operator => Some("operators"),
            Self::Annotation => Some("annotations"),
            Self::Python => Some("Python functions"),
            Self::Call => Some("runtime calls"),
            Self::Kernel => Some("kernels"),
            Self::Memory => Some("copies and fills"),
            Self::Sync => Some("synchronisations"),
            Self::DeviceAnnotation => Some("annotations of the device"),
            Self::Span => Some("spans of the profiler"),
            Self::Other => None,
        }
    }

    /// Returns the categories of events of this kind, but for the open end of calls.
    pub fn categories(self) -> impl Iterator<Item = &'static str> {
        CATEGORIES.iter().filter(move |(_, kind)| *kind == self).map(|(name, _)| *name)
    }

    /// Whether it is work of a device: a kernel, a copy or a fill.
    #[inline]
    pub fn is_device_work(self) -> bool {
        matches!(self, Self::Kernel | Self::Memory)
    }

    /// Whether it is on the side of a device.
    #[inline]
    pub fn is_on_device(self) -> bool {
        matches!(self, Self::Kernel | Self::Memory | Self::Sync | Self::DeviceAnnotation)
    }
}

/// Whether events of this category are work of a device.
pub fn is_device_work(cat: &str) -> bool {
    EventKind::of_category(cat).is_device_work()
}

/// Tells whether a runtime call of this name launches a graph.
pub fn is_graph_launch(name: &str) -> bool {
    name.contains("GraphLaunch")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_of_all_years_and_devices_have_their_kind() {
        for (categories, kind) in [
            (&["cpu_op", "Operator"][..], EventKind::Operator),
            (
                &["cuda_runtime", "cuda_driver", "Runtime", "hip_runtime", "xpu_runtime", "xpu_driver", "mtia_runtime"],
                EventKind::Call,
            ),
            (&["privateuse1_runtime", "privateuse1_driver", "glow_runtime"], EventKind::Call),
            (&["kernel", "Kernel", "hpu_op", "mtia_ccp_events"], EventKind::Kernel),
            (&["gpu_memcpy", "gpu_memset", "Memcpy", "Memset", "mtia_dma"], EventKind::Memory),
            (&["cuda_sync", "xpu_sync"], EventKind::Sync),
            (&["ac2g", "fwdbwd", "overhead", "", "cpu_instant_event", "Kernels"], EventKind::Other),
        ] {
            for cat in categories {
                assert_eq!(EventKind::of_category(cat), kind, "{cat}");
            }
        }
        assert_eq!(EventKind::of(EventKind::Operator, || true), EventKind::Annotation);
        assert_eq!(EventKind::of(EventKind::Operator, || false), EventKind::Operator);
        assert_eq!(EventKind::of(EventKind::Kernel, || true), EventKind::Kernel);
    }

    #[test]
    fn a_category_has_one_kind() {
        for (at, (name, _)) in CATEGORIES.iter().enumerate() {
            assert!(CATEGORIES[..at].iter().all(|(other, _)| other != name), "{name}");
        }
    }
}
