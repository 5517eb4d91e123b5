/**
 * The history of a project: its size in the database next to the texts that changed, and the time to
 * list its newest versions next to a bare query for the same rows.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import setUpCluster from '@vitrine/testing/cluster';
import { createVersion, listVersions } from '@vitrine/testing/schema-calls';
import { addUser, newProject, openWorld, type SchemaWorld } from '@vitrine/testing/schema-world';
import { countRounds, type Bench, type Measurement } from '../bench.ts';

const rounds = countRounds(7);
const callsPerRound = 50;
const fileCount = 200;
/** Files of a project of 1 MiB. */
const fileBytes = Math.floor((1024 * 1024) / fileCount);

/** Text that the database can’t compress well: random Base64. */
const randomText = () => randomBytes(fileBytes).toString('base64').slice(0, fileBytes);
const pathOf = (file: number) => `src/part-${file}.ts`;

async function withWorld<T>(work: (world: SchemaWorld) => Promise<T>): Promise<T> {
  const close = await setUpCluster();
  const world = await openWorld();
  try {
    return await work(world);
  } finally {
    await world.close();
    await close();
  }
}

/** Creates a project of 1 MiB with versions that change one file each. Returns its slug. */
async function createHistory(world: SchemaWorld, versions: number): Promise<string> {
  const files = Array.from({ length: fileCount }, (_, i) => [pathOf(i), randomText()]);
  const project = await newProject(world, Object.fromEntries(files));
  // Several, because each may create 200 versions an hour.
  const editors = Array.from({ length: Math.ceil(versions / 200) }, () => randomUUID());
  for (const editor of editors) {
    await addUser(world.sql, editor);
    await world.sql`insert into public.project_members (project_id, user_id, role)
      values (${project}, ${editor}, 'editor')`;
  }
  for (let number = 1; number <= versions; number++) {
    if (number > 1)
      await world.sql`update public.project_files set content = ${randomText()}
        where project_id = ${project} and path = ${pathOf(number % fileCount)}`;
    const editor = editors[number % editors.length] ?? 'owner';
    await world.runAs(editor, (tx) => createVersion(tx, project, { message: `Step ${number}` }));
  }
  const [row] = await world.sql<{ slug: string }[]>`
    select slug from public.projects where id = ${project}`;
  if (row === undefined) throw new Error('the project is gone');
  return row.slug;
}

async function readBytes({ sql }: SchemaWorld): Promise<number> {
  const [row] = await sql<{ bytes: string }[]>`
    select sum(pg_total_relation_size(name::regclass)) as bytes from unnest(array[
      'public.project_versions', 'public.version_files', 'public.version_contents']) name`;
  return Number(row?.bytes);
}

function measureBytes(): Promise<Measurement> {
  return withWorld(async (world) => {
    const versions = 1_000;
    const before = await readBytes(world);
    await createHistory(world, versions);
    const changed = (fileCount + versions - 1) * fileBytes;
    return {
      sample: [((await readBytes(world)) - before) / 1e6],
      baseline: [changed / 1e6],
      unit: 'MB',
    };
  });
}

function measureList(versions: number): Promise<Measurement> {
  return withWorld(async (world) => {
    const slug = await createHistory(world, versions);
    await world.sql`analyze`;
    const sides = {
      sample: () => world.runAs('owner', (tx) => listVersions(tx, slug)),
      baseline: () =>
        world.sql.begin(async (tx) => {
          await tx`select set_config('request.jwt.claims', '{}', true)`;
          await tx`select v.number, v.reason, v.message, v.created_at, a.username, a.display_name,
              a.avatar_path, array(select f.path from public.version_files f
                where f.project_id = v.project_id and f.number = v.number)
            from public.projects p join public.project_versions v on v.project_id = p.id
            left join public.profiles a on a.id = v.author_id
            where p.slug = ${slug} order by v.number desc limit 20`;
        }),
    };
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (let round = -1; round < rounds; round++) {
      for (const side of ['sample', 'baseline'] as const) {
        const startedAt = performance.now();
        for (let call = 0; call < callsPerRound; call++) await sides[side]();
        // The first round warms up.
        if (round >= 0) measured[side].push((performance.now() - startedAt) / callsPerRound);
      }
    }
    return { ...measured, unit: 'ms' };
  });
}

export const benches: readonly Bench[] = [
  { name: 'versions/bytes', run: measureBytes },
  ...[10, 100, 1_000].map((versions) => ({
    name: `versions/list-${versions}`,
    run: () => measureList(versions),
  })),
];
