/**
 * A small sign-in provider on loopback with real protocols: OpenID Connect with discovery and code
 * exchange, and GitHub's endpoints. Everyone is signed in as `person` at once.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';

interface ProviderUser {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export interface TestProvider {
  readonly origin: string;
  /** The signed-in user. */
  user: ProviderUser;
  /** Claims that replace or extend the true ones. */
  claimOverrides: Record<string, unknown>;
  /** Denies every sign-in. */
  isDenying: boolean;
  /** Signs an ID token. */
  sign(claims: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export const clientId = 'vitrine-test';
export const clientSecret = 'secret of the client';

interface Grant {
  challenge: string;
  nonce: string | undefined;
  redirectUri: string;
  person: ProviderUser;
}

export async function openProvider(): Promise<TestProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const grants = new Map<string, Grant>();
  const app = new Hono();
  const server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: TestProvider = {
    origin,
    user: { sub: 'nobody' },
    claimOverrides: {},
    isDenying: false,
    sign: (claims) =>
      new SignJWT({ iss: origin, aud: clientId, exp: Date.now() / 1000 + 300, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setIssuedAt()
        .sign(privateKey),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  app.get('/.well-known/openid-configuration', (c) =>
    c.json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    }),
  );
  app.get('/keys', async (c) =>
    c.json({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }] }),
  );
  for (const path of ['/authorize', '/login/oauth/authorize']) {
    app.get(path, (c) => {
      const { client_id, response_type, code_challenge_method: method } = c.req.query();
      const { redirect_uri = '', state = '', code_challenge = '', nonce } = c.req.query();
      if (client_id !== clientId || response_type !== 'code' || method !== 'S256') {
        return c.text('not for us', 400);
      }
      const back = new URL(redirect_uri);
      back.searchParams.set('state', state);
      if (provider.isDenying) {
        back.searchParams.set('error', 'access_denied');
        back.searchParams.set('error_description', 'The person said no');
        return c.redirect(back.href);
      }
      const code = randomBytes(16).toString('hex');
      grants.set(code, {
        challenge: code_challenge,
        nonce,
        redirectUri: redirect_uri,
        person: provider.user,
      });
      back.searchParams.set('code', code);
      return c.redirect(back.href);
    });
  }
  const redeem = (form: URLSearchParams) => {
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      form.get('client_id') === clientId &&
      form.get('client_secret') === clientSecret &&
      grant?.redirectUri === form.get('redirect_uri') &&
      grant?.challenge === challenge;
    return isRight ? grant : undefined;
  };
  app.post('/token', async (c) => {
    const grant = redeem(new URLSearchParams(await c.req.text()));
    if (grant === undefined) return c.json({ error: 'invalid_grant' }, 400);
    const { person, nonce } = grant;
    return c.json({
      access_token: 'access token of the provider',
      refresh_token: 'refresh token of the provider',
      token_type: 'bearer',
      id_token: await provider.sign({ ...person, nonce, ...provider.claimOverrides }),
    });
  });
  app.post('/login/oauth/access_token', async (c) => {
    const grant = redeem(new URLSearchParams(await c.req.text()));
    if (grant === undefined) return c.json({ error: 'bad_verification_code' });
    return c.json({ access_token: `github ${grant.person.sub}`, token_type: 'bearer' });
  });
  app.get('/api/v3/user', (c) => {
    const { sub, name } = provider.user;
    return c.json({ id: Number(sub), login: 'octo', name, avatar_url: `${origin}/face.png` });
  });
  app.get('/api/v3/user/emails', (c) => {
    const { email, email_verified: verified } = provider.user;
    return c.json([
      { email: 'other@example.com', primary: false, verified: true },
      { email, primary: true, verified },
    ]);
  });
  return provider;
}
