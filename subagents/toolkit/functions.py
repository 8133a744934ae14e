"""Which functions an SQL statement may call: those known to read nothing but their arguments, and sizes of objects.

A list of what is allowed, since nobody can list what isn't: databases have hundreds that read files, wait, write or
call out, and extensions bring more.
"""

from __future__ import annotations

_BOTH = """
count sum avg min max array_agg string_agg group_concat abs ceil ceiling floor round trunc mod power pow sqrt ln
log exp sign greatest least lower upper length char_length substr substring trim ltrim rtrim replace concat
concat_ws coalesce nullif ifnull current_timestamp current_date current_time row_number rank dense_rank
percent_rank cume_dist ntile lag lead first_value last_value nth_value stddev stddev_pop stddev_samp variance
variance_pop var_samp date cast try_cast case if iif and or xor exists array in any all cbrt
"""
_POSTGRES = """
now clock_timestamp statement_timestamp transaction_timestamp localtime localtimestamp date_trunc timestamp_trunc
date_part extract age to_char time_to_str to_timestamp str_to_time unix_to_time to_date to_number make_date
make_timestamp make_interval date_bin isfinite justify_hours justify_interval mode percentile_cont
percentile_disc bool_and bool_or every logical_and logical_or corr regr_slope json_agg jsonb_agg json_object_agg
jsonb_object_agg json_build_object jsonb_build_object json_array_length jsonb_array_length jsonb_typeof
json_typeof jsonb_extract_path jsonb_extract_path_text json_extract_path json_extract_path_text json_extract
json_extract_scalar jsonb_extract jsonb_extract_scalar jsonb_array_elements jsonb_array_elements_text
json_array_elements json_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys json_object_keys
left right split_part strpos str_position position ascii chr md5 initcap reverse starts_with btrim
regexp_replace regexp_match regexp_matches regexp_like regexp_i_like octet_length bit_length quote_literal
cardinality array_length array_position array_to_string unnest explode explode_outer generate_series
exploding_generate_series width_bucket num_nonnulls row format to_json to_jsonb row_to_json random rand
pg_relation_size pg_total_relation_size pg_table_size pg_indexes_size pg_database_size pg_size_pretty
pg_is_in_recovery pg_postmaster_start_time version current_version current_database current_schema
array_contains_all array_contained_by jsonb_contains json_b_contains json_array_contains array_size
"""
_SQLITE = """
total avg time datetime julianday strftime unixepoch timediff time_to_str ts_or_ds_to_timestamp json json_array
json_array_length json_each json_tree json_extract json_extract_scalar json_type json_valid json_group_array
json_group_object json_object instr str_position printf format glob like hex unicode char chr typeof quote nvl
concat random rand likely unlikely sqlite_version current_version regexp regexp_like date_sub
date_add ts_or_ds_to_date ts_or_ds_to_time json_quote
"""
ALLOWED = {"postgres": frozenset((_BOTH + _POSTGRES).split()), "sqlite": frozenset((_BOTH + _SQLITE).split())}
