import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A test suite of the official clients, and what it requires of its server. */
export interface Suite {
  name: string;
  /** Folder in a clone of supabase/supabase-js. */
  folder: string;
  /** Files to run; in the others every test has a mocked server. */
  testFiles: string[];
  /** Auth settings: its `supabase/config.toml`. */
  config: string;
  /** Its own schema and rows, if any. */
  fixture?: Fixture;
  /** A script of the suite that generates files for its tests. */
  prepare?: string;
  /** A Jest sequencer for the order of its files. */
  sequencer?: string;
  /** Other packages of the clone that it imports by name, and their folders. */
  beside?: Readonly<Record<string, string>>;
  /** Whether it signs up with a password that is too common here: another one is sent. */
  hasGuessedPassword?: boolean;
  /** Whether none of its tests has a mocked server: tests without a request count as well. */
  hasNoMocks?: boolean;
  /** Number of tests that passed when last recorded. Fewer is a failure. */
  mark: number;
}

export interface Fixture {
  /** A folder of migrations, if any, and a file. */
  migrations?: string;
  seed: string;
  /** Settings of `supabase/config.toml` or the CLI, as database settings. */
  settings?: string;
  /** Statements that the embedded PostgreSQL does not support, which are skipped. */
  leftOut?: RegExp;
}

export const suites: readonly Suite[] = [
  {
    name: 'postgrest-js',
    folder: 'packages/core/postgrest-js',
    config: 'test/supabase/config.toml',
    testFiles: ['<rootDir>/test/*.test.ts'],
    fixture: {
      migrations: 'test/supabase/migrations',
      seed: 'test/supabase/seed.sql',
      settings: `alter role authenticator set pgrst.db_schemas = 'public, personal';`,
      leftOut: /\bpostgis\b|\bshops\b/i,
    },
    sequencer: 'test/testSequencer.js',
    mark: 270,
  },
  {
    name: 'auth-js',
    folder: 'packages/core/auth-js',
    config: 'test/supabase/config.toml',
    testFiles: ['<rootDir>/test/GoTrue*.test.ts', '<rootDir>/test/passkey.e2e.test.ts'],
    prepare: 'test/generate-signing-keys.js',
    mark: 131,
  },
  {
    name: 'storage-js',
    folder: 'packages/core/storage-js',
    config: 'test/supabase/config.toml',
    testFiles: ['<rootDir>/test/storage*Api*.test.ts'],
    fixture: {
      seed: 'test/supabase/seed.sql',
      // Its rows have columns of GoTrue's own table; no test signs in.
      leftOut: /\bINSERT INTO auth\.users\b/,
    },
    mark: 61,
  },
  {
    name: 'supabase-js',
    folder: 'packages/core/supabase-js',
    config: 'supabase/config.toml',
    testFiles: ['<rootDir>/test/integration.test.ts'],
    fixture: {
      migrations: 'supabase/migrations',
      seed: 'supabase/seed/seed_todos.sql',
    },
    beside: {
      '@supabase/auth-js': 'packages/core/auth-js',
      '@supabase/functions-js': 'packages/core/functions-js',
      '@supabase/postgrest-js': 'packages/core/postgrest-js',
      '@supabase/realtime-js': 'packages/core/realtime-js',
      '@supabase/storage-js': 'packages/core/storage-js',
      '@supabase/tracing': 'packages/shared/tracing',
    },
    hasGuessedPassword: true,
    hasNoMocks: true,
    mark: 36,
  },
];

/** npm packages that the suites import. Versions are pinned so that runs are reproducible. */
export const tools: Readonly<Record<string, string>> = {
  '@faker-js/faker': '9.9.0',
  '@opentelemetry/api': '1.9.0',
  '@opentelemetry/context-async-hooks': '2.8.0',
  '@opentelemetry/core': '2.8.0',
  '@opentelemetry/sdk-trace-node': '2.8.0',
  '@supabase/phoenix': '0.4.5',
  'iceberg-js': '0.8.1',
  jest: '30.5.2',
  'jest-environment-jsdom': '30.5.2',
  jsonwebtoken: '9.0.3',
  tslib: '2.8.1',
  zod: '3.25.76',
};

/** Throws unless `checkout` is a clone of the clients. */
export async function checkCheckout(checkout: string): Promise<void> {
  for (const { name, folder } of suites) {
    const file = join(checkout, folder, 'package.json');
    const described: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (Reflect.get(Object(described), 'name') !== `@supabase/${name}`) {
      throw new Error(`${file} is not that of @supabase/${name}`);
    }
  }
}
