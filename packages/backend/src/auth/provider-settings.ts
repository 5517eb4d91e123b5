/** A provider of `[auth.external.NAME]` in `supabase/config.toml`. */
export interface ProviderSettings {
  readonly name: string;
  /** The first is ours; ID tokens made for the others are taken too. */
  readonly clientIds: readonly string[];
  readonly clientSecret: string;
  /** Where it is: the issuer of an OpenID provider, or the address of a GitHub of one's own. */
  readonly url: string;
  /** skip_nonce_check: of ID tokens that an app brings along. */
  readonly skipNonceCheck: boolean;
}

const knownAddresses: Readonly<Record<string, string>> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  google: 'https://accounts.google.com',
};

/**
 * Reads one section; undefined where it is not enabled. `env(NAME)` stands for a variable of the
 * environment, as the Supabase CLI reads it. Throws, naming the setting, where one is missing.
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
    throw new Error(`auth.external.${name} is no name of a provider`);
  }
  const read = (key: string, otherwise: string | undefined): string => {
    const value = section[key];
    const isSet = typeof value === 'string' && value !== '';
    const variable = isSet ? /^env\((\w+)\)$/.exec(value)?.[1] : undefined;
    const text = variable === undefined ? (isSet ? value : otherwise) : env[variable];
    if (text === undefined || text === '')
      throw new Error(`auth.external.${name}.${key} is missing`);
    return text;
  };
  const clientIds = read('client_id', undefined)
    .split(',')
    .map((id) => id.trim());
  const url = read('url', knownAddresses[name]).replace(/\/$/, '');
  if (!URL.canParse(url)) throw new Error(`auth.external.${name}.url is no address`);
  if (/\/(common|organizations|consumers)(\/|$)/.test(url)) {
    throw new Error(`auth.external.${name}.url must name one tenant by its id`);
  }
  return {
    name,
    clientIds,
    clientSecret: read('secret', undefined),
    // The Supabase CLI names the tenant alone.
    url: name === 'azure' && !url.endsWith('/v2.0') ? `${url}/v2.0` : url,
    skipNonceCheck: section['skip_nonce_check'] === true,
  };
}
