package cato.lib.known_test

import data.cato.lib.known

test_whole_without_a_gap if {
	known.whole("accounts.roles") with input as {"gaps": {}}
	known.whole("accounts.roles") with input as {"gaps": {"accounts.users": "no right"}}
}

test_not_whole_with_a_gap_or_without_the_list_of_them if {
	every document in [{"gaps": {"accounts.roles": ""}}, {"gaps": {"accounts.roles": "no right"}}, {}, {"gaps": null}] {
		not known.whole("accounts.roles") with input as document
	}
}
