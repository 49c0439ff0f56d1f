package cato.lib.selector_test

import data.cato.lib.selector

_in(key, values) := {"key": key, "operator": "In", "values": values}

_not_in(key, values) := {"key": key, "operator": "NotIn", "values": values}

_exists(key) := {"key": key, "operator": "Exists", "values": []}

_absent(key) := {"key": key, "operator": "DoesNotExist", "values": []}

test_values_are_what_all_requirements_leave if {
	selector.values([_in("app", ["a", "b", "c"]), _in("app", ["b", "c", "d"]), _not_in("app", ["c"])], "app") == {"b"}
}

test_a_label_is_not_confined_by_anything_but_in if {
	every requirements in [[], [_exists("app")], [_not_in("app", ["a"])], [_absent("app")], [_in("app", [])], [_in("other", ["a"])]] {
		not selector.values(requirements, "app")
		not selector.confined(requirements, "app", {"a"})
	}
}

test_more_requirements_only_narrow if {
	selector.confined([_in("app", ["a"]), _exists("tier"), _in("zone", ["x"])], "app", {"a"})
	selector.confined([_in("app", ["a", "b"]), _not_in("app", ["b"])], "app", {"a"})
}

test_a_second_value_widens if not selector.confined([_in("app", ["a", "b"])], "app", {"a"})

test_contradictions_select_nothing if {
	every requirements in [
		[_in("app", ["a"]), _in("app", ["b"])],
		[_in("app", ["a"]), _not_in("app", ["a"])],
		[_in("app", ["a"]), _absent("app")],
		[_exists("app"), _absent("app")],
	] {
		selector.impossible(requirements)
	}
}

test_what_can_hold_is_not_impossible if {
	every requirements in [
		[],
		[_in("app", ["a"]), _in("tier", ["b"])],
		[_not_in("app", ["a"]), _absent("app")],
		[_exists("app"), _not_in("app", ["a"])],
		[_exists("app"), _absent("tier")],
		[_in("app", [])],
	] {
		not selector.impossible(requirements)
	}
}

test_malformed_requirements_confine_nothing if {
	every requirements in [null, "x", [{}], [{"key": "app", "operator": "In"}], [{"key": "app", "values": ["a"]}]] {
		not selector.confined(requirements, "app", {"a"})
		not selector.impossible(requirements)
	}
}
