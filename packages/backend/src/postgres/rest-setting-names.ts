/**
 * PostgREST settings that are supported, read from the database as PostgREST does: `alter role
 * authenticator set pgrst.db_aggregates_enabled = 'true'`.
 */
export const restSettingNames = [
  'pgrst.db_schemas',
  'pgrst.db_extra_search_path',
  'pgrst.db_max_rows',
  'pgrst.db_aggregates_enabled',
  'pgrst.db_plan_enabled',
  'pgrst.db_tx_end',
  'pgrst.db_pre_request',
] as const;
