import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bootstrapDatabase,
  connectDatabase,
  startPostgres,
  type DatabaseAddress,
} from '@vitrine/backend/postgres';

const rolePassword = 'password-of-the-roles-in-the-bench-database';

/** Enough rows for an index to matter, with row-level security like the product's tables. */
const schema = `
create table public.makers (id int primary key, name text not null, bio text);
create table public.works (
  id int primary key generated always as identity,
  maker_id int not null references public.makers,
  owner_id uuid not null, title text not null, description text,
  is_public boolean not null, likes int not null default 0, made_at timestamptz not null default now()
);
create table public.notes (
  id bigint primary key generated always as identity, owner_id uuid not null default auth.uid(), body text not null
);
insert into public.makers select n, 'maker ' || n, repeat('bio ', 10) from generate_series(1, 500) n;
insert into public.works (maker_id, owner_id, title, description, is_public, likes)
select n % 500 + 1, '00000000-0000-4000-8000-000000000001', 'work ' || n, repeat('text ', 20), n % 5 > 0, n % 1000
from generate_series(1, 20000) n;
create index on public.works (likes desc, id);
alter table public.makers enable row level security;
alter table public.works enable row level security;
alter table public.notes enable row level security;
create policy makers_read on public.makers for select to anon, authenticated using (true);
create policy works_read on public.works for select to anon, authenticated
  using (is_public or owner_id = (select auth.uid()));
create policy notes_own on public.notes for all to authenticated
  using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()));
analyze;
`;

/** Starts a PostgreSQL cluster in a temporary folder with the benchmark's tables. */
export async function openBenchDatabase(): Promise<{
  authenticator: DatabaseAddress;
  close(): Promise<void>;
}> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-bench-'));
  // If started by root, PostgreSQL runs as user postgres, who needs access to the folder.
  chmodSync(dataDir, 0o711);
  const log = { info() {}, warn() {}, error() {} };
  const postgres = await startPostgres({ dataDir, log });
  const sql = connectDatabase(postgres.database, { max: 1 });
  await bootstrapDatabase(sql, rolePassword);
  await sql.unsafe(schema);
  await sql.end();
  return {
    authenticator: { ...postgres.database, user: 'authenticator', password: rolePassword },
    async close() {
      await postgres.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
