/**
 * The first page of Your work, next to a bare query of the same 24 rows: same database, same user, same
 * kind of transaction, but as the tables' owner, without policies, counts, tags and excerpts.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  applyMigrations,
  bootstrapDatabase,
  connectDatabase,
  startPostgres,
} from '@vitrine/backend/postgres';
import { countRounds, type Bench, type Measurement } from '../bench.ts';

const migrations = fileURLToPath(new URL('../../supabase/migrations', import.meta.url));
const rolePassword = 'password-of-the-roles-in-the-bench-database';
const user = '00000000-0000-4000-8000-000000000001';
const rounds = countRounds(15);
const callsPerRound = 5;

/** Projects of three files with 5 kB of text, every second with two tags. */
const seedSql = (projects: number) => `
insert into auth.users (id, raw_user_meta_data) values ('${user}', '{"username": "ada"}');
insert into auth.sessions (id, user_id, created_at, aal) values ('${user}', '${user}', now(), 'aal1');
insert into public.projects (owner_id, title, visibility, updated_at)
select '${user}', 'Project ' || n, 'private', now() - n * interval '1 hour'
from generate_series(1, ${projects}) n;
insert into public.project_files (project_id, path, content)
select p.id, f.path, repeat('const value = compute(1, 2); // ' || p.title || chr(10), f.lines)
from public.projects p, (values ('index.html', 20), ('style.css', 30), ('main.js', 70)) f (path, lines);
insert into public.project_tags (project_id, tag)
select p.id, t.tag from public.projects p, (values ('canvas'), ('game')) t (tag)
where right(p.title, 1) in ('0', '2', '4', '6', '8');
analyze;
`;

const claims = JSON.stringify({
  role: 'authenticated',
  sub: user,
  session_id: user,
  aal: 'aal1',
});

const bareQuery = `select id, slug, title, visibility, is_template, created_at, updated_at
  from public.projects where owner_id = '${user}' and trashed_at is null
  order by updated_at desc, id desc limit 24`;

const queries = {
  '': `select public.list_work() as answer`,
  '/search': `select public.list_work(query => 'compute(1, 2); // Project 7') as answer`,
  '/search-none': `select public.list_work(query => 'nothing has this') as answer`,
};

async function measure(projects: number, query: string): Promise<Measurement> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-bench-'));
  // If started by root, PostgreSQL runs as user postgres, who needs access to the folder.
  chmodSync(dataDir, 0o711);
  const log = { info() {}, warn() {}, error() {} };
  const postgres = await startPostgres({ dataDir, log });
  const sql = connectDatabase(postgres.database, { max: 1 });
  try {
    await bootstrapDatabase(sql, rolePassword);
    await applyMigrations(sql, migrations);
    await sql.unsafe(seedSql(projects));
    const ask = async (role: string, text: string): Promise<number> => {
      const start = performance.now();
      for (let call = 0; call < callsPerRound; call++)
        await sql.begin((tx) => [
          tx`select set_config('role', ${role}, true),
            set_config('request.jwt.claims', ${claims}, true)`,
          tx.unsafe(text, [], { prepare: true }),
        ]);
      return (performance.now() - start) / callsPerRound;
    };
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (let round = -2; round < rounds; round++) {
      const sample = await ask('authenticated', query);
      const baseline = await ask('none', bareQuery);
      if (round < 0) continue;
      measured.sample.push(sample);
      measured.baseline.push(baseline);
    }
    return { ...measured, unit: 'ms' };
  } finally {
    await sql.end();
    await postgres.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

export const workBenches: readonly Bench[] = Object.entries(queries).flatMap(([suffix, query]) =>
  [10, 100, 1_000, 2_000].map((projects) => ({
    name: `rest/your-work-${projects}${suffix}`,
    run: () => measure(projects, query),
  })),
);
