//! Empty: evcxr lists `ra_ap_span` as a dependency and uses nothing of it.
