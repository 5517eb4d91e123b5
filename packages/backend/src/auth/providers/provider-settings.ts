/** A provider from `[auth.external.NAME]` in `supabase/config.toml`. */
export interface ProviderSettings {
  readonly name: string;
  /** The first is the client id of this instance; ID tokens for the others are accepted too. */
  readonly clientIds: readonly string[];
  readonly clientSecret: string;
  /** The issuer of an OpenID provider, or the URL of GitHub or GitHub Enterprise Server. */
  readonly url: string;
  /** skip_nonce_check: for ID tokens sent by an app. */
  readonly skipNonceCheck: boolean;
}

const defaultUrls: Readonly<Record<string, string>> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  google: 'https://accounts.google.com',
};

/**
 * Parses one section; undefined when the provider is not enabled. `env(NAME)` is replaced by the
 * environment variable, as in the Supabase CLI. Throws with the name of the setting when one is
 * missing or invalid.
 */
export function parseProvider(
  name: string,
  section: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
): ProviderSettings | undefined {
  if (section['enabled'] !== true) return undefined;
  if (
    !/^(custom:)?[a-z0-9][a-z0-9_-]{0,63}$/.test(name) ||
    /^(email|phone|anonymous)$/.test(name)
  ) {
    throw new Error(`auth.external.${name} isn’t a valid provider name`);
  }
  const read = (key: string, fallback: string | undefined): string => {
    const value = section[key];
    const isSet = typeof value === 'string' && value !== '';
    const variable = isSet ? /^env\((\w+)\)$/.exec(value)?.[1] : undefined;
    const text = variable === undefined ? (isSet ? value : fallback) : env[variable];
    if (text === undefined || text === '')
      throw new Error(`auth.external.${name}.${key} is missing`);
    return text;
  };
  const clientIds = read('client_id', undefined)
    .split(',')
    .map((id) => id.trim());
  const url = read('url', defaultUrls[name]).replace(/\/$/, '');
  if (!URL.canParse(url)) throw new Error(`auth.external.${name}.url isn’t a valid URL`);
  if (/\/(common|organizations|consumers)(\/|$)/.test(url)) {
    throw new Error(`auth.external.${name}.url must contain the ID of one tenant`);
  }
  return {
    name,
    clientIds,
    clientSecret: read('secret', undefined),
    // The Supabase CLI's URL is the tenant without the version.
    url: name === 'azure' && !url.endsWith('/v2.0') ? `${url}/v2.0` : url,
    skipNonceCheck: section['skip_nonce_check'] === true,
  };
}
