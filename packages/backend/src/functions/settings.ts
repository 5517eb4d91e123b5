import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'smol-toml';

/** Settings of one function in `supabase/config.toml`: `[functions.NAME]`. */
interface FunctionSettings {
  /** enabled */
  enabled: boolean;
  /** verify_jwt: whether a request needs a user token or the secret key. */
  verifyToken: boolean;
}

const defaultSettings: FunctionSettings = { enabled: true, verifyToken: true };

/** Reads `config.toml` in `folder`. Functions without a section have Supabase's defaults. */
export async function readFunctionSettings(
  folder: string,
): Promise<(name: string) => FunctionSettings> {
  const file = join(folder, 'config.toml');
  const config: unknown = existsSync(file) ? parse(await readFile(file, 'utf8')) : {};
  const functions = getMember(config, 'functions');
  return (name) => {
    const section = getMember(functions, name);
    return {
      enabled: readFlag(section, 'enabled') ?? defaultSettings.enabled,
      verifyToken: readFlag(section, 'verify_jwt') ?? defaultSettings.verifyToken,
    };
  };
}

/** Reads the secrets of all functions from `functions/.env`, as the Supabase CLI does. */
export async function readFunctionSecrets(folder: string): Promise<NodeJS.Dict<string>> {
  const file = join(folder, 'functions/.env');
  return existsSync(file) ? parseEnv(await readFile(file, 'utf8')) : {};
}

function getMember(value: unknown, name: string): unknown {
  const isTable = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isTable ? Reflect.get(value, name) : undefined;
}

function readFlag(settings: unknown, name: string): boolean | undefined {
  const flag = getMember(settings, name);
  if (flag === undefined || typeof flag === 'boolean') return flag;
  throw new Error(`supabase/config.toml: ${name} of a function must be true or false.`);
}
