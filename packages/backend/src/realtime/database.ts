import type { Sql } from 'postgres';
import { connectDatabase, type DatabaseAddress } from '../postgres/index.ts';
import { realtimeLimits } from './limits.ts';

/** As supabase_realtime_admin, who becomes the asker within `realtime.find_rights` and the like. */
export function connectRealtime(address: DatabaseAddress): Sql {
  return connectDatabase(address, {
    max: realtimeLimits.connections,
    backoff: () => 0.2,
    connect_timeout: 3,
    idle_timeout: 60,
    fetch_types: false,
    connection: { TimeZone: 'UTC' },
  });
}
