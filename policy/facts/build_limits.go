package facts

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

func buildQuotas(quotas []corev1.ResourceQuota) []Quota {
	all := []Quota{}
	for i := range quotas {
		q := &quotas[i]
		all = append(all, Quota{
			Name: q.Name, UID: string(q.UID), Hard: amounts(q.Spec.Hard),
			Scoped: len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil && len(q.Spec.ScopeSelector.MatchExpressions) > 0,
		})
	}
	slices.SortFunc(all, func(a, b Quota) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func buildLimits(ranges []corev1.LimitRange) []LimitRange {
	all := []LimitRange{}
	for i := range ranges {
		r := LimitRange{Name: ranges[i].Name, UID: string(ranges[i].UID), Items: []LimitItem{}}
		for j, item := range ranges[i].Spec.Limits {
			r.Items = append(r.Items, LimitItem{
				Path: fmt.Sprintf("LimitRange/%s spec.limits[%d]", ranges[i].Name, j), Type: string(item.Type),
				Max: amounts(item.Max), Default: amounts(item.Default), DefaultRequest: amounts(item.DefaultRequest),
			})
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b LimitRange) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func amounts(list corev1.ResourceList) []Amount {
	all := make([]Amount, 0, len(list))
	for resource, amount := range list {
		all = append(all, amountFact(string(resource), amount.String()))
	}
	slices.SortFunc(all, func(a, b Amount) int { return strings.Compare(a.Resource, b.Resource) })
	return all
}

func amountFact(resource, text string) Amount {
	a := Amount{Resource: resource, Text: bounded(text)}
	value, err := exactQuantity(a.Text)
	if err != nil {
		return a
	}
	milli := ceil(new(big.Rat).Mul(value, big.NewRat(1000, 1)))
	if milli.IsInt64() {
		n := milli.Int64()
		a.Milli = &n
	}
	return a
}
