import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSecrets } from '@vitrine/backend';
import { formatDatabaseUrl } from '@vitrine/backend/postgres';
import { beforeEach, describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { openTestBackend, signUpConfirmed } from '@vitrine/testing/backend';
import { commands } from '../src/commands.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = fileURLToPath(new URL('../vitrine.js', import.meta.url));

/** Deleted after each test. */
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vitrine-cli-'));
  // Root's PostgreSQL runs as the user postgres, which must be able to traverse it.
  await chmod(home, 0o711);
  return () => rm(home, { recursive: true });
});

interface Outcome {
  code: unknown;
  stdout: string;
  stderr: string;
}

/** Runs `vitrine` with these arguments and environment variables. */
function vitrine(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return runProgram(process.execPath, [program, ...args], { DATA_DIR: home, ...env });
}

function runProgram(file: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const options = { cwd: root, env: { PATH: process.env['PATH'], ...env } };
  return new Promise<Outcome>((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

describe('help', () => {
  test('lists the commands, one line each', async () => {
    const { code, stdout, stderr } = await vitrine(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: vitrine COMMAND/);
    for (const [name, { summary }] of Object.entries(commands))
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
  });

  test.each(Object.entries(commands))('explains %s', async (name, command) => {
    const { code, stdout, stderr } = await vitrine([name, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const form of Object.keys(command.forms))
      expect(stdout).toContain(`vitrine ${name} ${form}`.trimEnd());
    for (const text of [...command.variables, command.example, '-h, --help'])
      expect(stdout).toContain(text);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(command.description);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

test.each([
  [[], 'The command is missing.', 'Usage: vitrine COMMAND [ARGUMENTS]'],
  [['bakcup', '--force'], 'Unknown command: bakcup.', 'Usage: vitrine COMMAND [ARGUMENTS]'],
  [['constructor'], 'Unknown command: constructor.', 'Usage: vitrine COMMAND [ARGUMENTS]'],
  [['--verbose'], 'Unknown option: --verbose.', 'Usage: vitrine COMMAND [ARGUMENTS]'],
  [['backup', 'there', '--force'], 'Unknown option: --force.', 'Usage: vitrine backup FOLDER'],
  [['backup', '-f', 'there'], 'Unknown option: -f.', 'Usage: vitrine backup FOLDER'],
  [['backup'], 'The arguments are missing.', 'Usage: vitrine backup FOLDER'],
  [['backup', 'here', 'there'], 'Wrong arguments: here there.', 'Usage: vitrine backup FOLDER'],
  [['rotate-key', 'now'], 'Wrong arguments: now.', 'Usage: vitrine rotate-key'],
  [
    ['move', 'import', 'there'],
    'Wrong arguments: import there.',
    'Usage: vitrine move export FOLDER\n       vitrine move upload FOLDER',
  ],
])('rejects %j with a message and the usage', async (args, message, usage) => {
  const { code, stdout, stderr } = await vitrine(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.startsWith(`${message}\n\n${usage}\n`)).toBe(true);
});

describe('npm', () => {
  test('has a script for each command', async () => {
    for (const name of Object.keys(commands)) {
      const alias = name.replace('check-hosted', 'check:hosted');
      expect(Object.entries(manifest.scripts)).toContainEqual([
        alias,
        `node apps/cli/vitrine.js ${name}`,
      ]);
    }
    const args = ['run', '--silent', 'check:hosted', '--', '--help'];
    const { stdout } = await runProgram('npm', args, { HOME: home });
    expect(stdout).toMatch(/^Usage: vitrine check-hosted\n/);
  });

  test('links the command', async () => {
    const args = ['exec', '--offline', '--', 'vitrine', 'move', '--help'];
    const { stdout } = await runProgram('npm', args, { HOME: home });
    expect(stdout).toMatch(/^Usage: vitrine move export FOLDER\n/);
  });
});

test('starts the project’s Node from an older one, and exits with its exit code', async () => {
  const pretend =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })';
  const old = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, program];
  const helped = await runProgram(process.execPath, [...old, 'backup', '--help'], {});
  expect(helped).toEqual(await vitrine(['backup', '--help']));
  const failed = await runProgram(process.execPath, [...old, 'bakcup'], {});
  expect(failed).toEqual(await vitrine(['bakcup']));
});

describe('an instance', () => {
  test.each([
    ['rotate-key', []],
    ['backup', ['there']],
    ['end-sessions', []],
    ['templates', ['list']],
    ['move', ['export', 'there']],
  ])('is not created by %s', async (name, args) => {
    expect(await vitrine([name, ...args])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${home} has no secrets.json. Start Vitrine once to create it.\n`,
    });
    expect(existsSync(join(home, 'postgres'))).toBe(false);
  });

  test('gets a new signing key', async () => {
    const { signingKey } = await loadSecrets(home);
    const { code, stdout } = await vitrine(['rotate-key']);
    const secrets = await loadSecrets(home);
    expect([code, stdout]).toEqual([
      0,
      `New signing key ${secrets.signingKey.kid} in ${home}/secrets.json. Restart Vitrine to use it.\n`,
    ]);
    expect(secrets.previousKeys.map(({ kid }) => kid)).toEqual([signingKey.kid]);
  });

  test('PT-01.10: ends all sessions, and invalidates emailed links and codes', async () => {
    const world = await openTestBackend();
    const { client } = await signUpConfirmed(world, 'ada@example.com');
    const stranger = { email: 'stranger@example.com', password: 'correct horse battery' };
    await world.openBrowser().client.auth.signUp(stranger);
    const countLinks = async () =>
      (await world.database.sql`select from auth.one_time_tokens`).length;
    await expect.poll(countLinks).toBeGreaterThan(0);
    const { stdout } = await vitrine(['end-sessions'], {
      DATABASE_URL: formatDatabaseUrl(world.database.address),
    });
    expect(stdout).toBe('Ended 1 session and invalidated all emailed links and codes.\n');
    expect((await client.auth.refreshSession()).error?.code).toBe('refresh_token_not_found');
    expect(await countLinks()).toBe(0);
    await world.close();
  });

  test('offers public projects as templates, also after a restore', async () => {
    const world = await openTestBackend();
    const { sql } = world.database;
    await signUpConfirmed(world, 'ada@example.com');
    const addProject = async (title: string, visibility: string) => {
      const [row] = await sql<{ slug: string }[]>`
        insert into public.projects (owner_id, title, visibility)
        select id, ${title}, ${visibility} from public.profiles returning slug`;
      return row?.slug ?? '';
    };
    const poster = await addProject('Poster', 'public');
    const secret = await addProject('Secret', 'unlisted');
    await writeFile(join(home, 'secrets.json'), JSON.stringify(world.secrets));
    const env = { DATABASE_URL: formatDatabaseUrl(world.database.address) };
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await vitrine(['templates', ...args], env);
      return `${String(code)} ${stdout}${stderr}`.trim();
    };

    expect(await run('list')).toBe('0 No project is a template.');
    expect(await run('add', `https://vitrine.example/@ada/${poster}?view=code`)).toBe(
      `0 Added “Poster” (${poster}) to the templates.`,
    );
    expect(await run('add', poster)).toBe(`0 “Poster” (${poster}) is already a template.`);
    expect(await run('add', secret)).toBe(
      '1 “Secret” isn’t public. Only public projects can be templates for everyone.',
    );
    expect(await run('add', 'aaaaaaaaaaaaaaaa')).toBe('1 There is no project aaaaaaaaaaaaaaaa.');
    expect(await run('add', 'https://vitrine.example/')).toMatch(/^1 “https.* isn’t the address/);
    expect(await run('list')).toMatch(new RegExp(`^0 @\\S+/${poster} {2}Poster$`));

    await vitrine(['backup', join(home, 'backup')], env);
    const DATA_DIR = join(home, 'other');
    await vitrine(['restore', join(home, 'backup')], { DATA_DIR });
    expect((await vitrine(['templates', 'list'], { DATA_DIR })).stdout).toContain('Poster');

    await sql`update public.projects set visibility = 'private' where slug = ${poster}`;
    expect(await run('list')).toMatch(/Poster \(not listed: not public\)$/);
    expect(await run('remove', poster)).toBe(`0 Removed “Poster” (${poster}) from the templates.`);
    expect(await run('remove', poster)).toBe(`1 “Poster” (${poster}) isn’t a template.`);
    await world.close();
  }, 90_000);

  test('is backed up, restored and exported', async () => {
    const world = await openTestBackend();
    await signUpConfirmed(world, 'ada@example.com');
    await writeFile(join(home, 'secrets.json'), JSON.stringify(world.secrets));
    const env = { DATABASE_URL: formatDatabaseUrl(world.database.address) };
    const backup = join(home, 'backup');
    const created = await vitrine(['backup', backup], env);
    expect(created).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Backed up \d+ rows in \d+ tables and 0 files\.\n$/),
    });
    expect(await vitrine(['backup', backup], env)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${backup} already exists. Choose a new folder for the backup.\n`,
    });
    // Into the embedded database, and from there.
    const DATA_DIR = join(home, 'other');
    const restored = await vitrine(['restore', backup], { DATA_DIR });
    const counts = created.stdout.replace('Backed up ', '');
    expect(restored).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^Restored ${counts}$`, 'm')),
    });
    expect(await vitrine(['backup', `${backup}-2`], { DATA_DIR })).toEqual(created);
    expect((await vitrine(['end-sessions'], { DATA_DIR })).stdout).toMatch(/^Ended 1 session /);
    const moving = join(home, 'moving');
    const exported = await vitrine(['move', 'export', moving], env);
    expect(exported.stdout).toMatch(/^Exported \d+ rows and 0 files to .*\/moving\.\n$/);
    expect(await readFile(join(moving, 'data.sql'), 'utf8')).toContain('ada@example.com');
    expect(await vitrine(['move', 'upload', moving])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Set SUPABASE_URL and SUPABASE_SECRET_KEY.\n',
    });
    await world.close();
  }, 90_000);

  test('exports its packages, which another one imports', async () => {
    await mkdir(join(home, 'packages/sizes'), { recursive: true });
    await writeFile(join(home, 'packages/sizes/a'), '1');
    const file = join(home, 'store.tgz');
    const exported = await vitrine(['packages', 'export', file]);
    expect(exported).toEqual({ code: 0, stdout: `Exported 1 item to ${file}.\n`, stderr: '' });
    const DATA_DIR = join(home, 'other');
    const imported = await vitrine(['packages', 'import', file], { DATA_DIR });
    expect(imported.stdout).toBe(`Imported 1 new item from ${file}.\n`);
    expect(await readFile(join(DATA_DIR, 'packages/sizes/a'), 'utf8')).toBe('1');
  });
});
