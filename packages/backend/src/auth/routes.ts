import { Hono } from 'hono';
import type { Context } from 'hono';
import { toRateLimitKey } from '@vitrine/project';
import { createAdminRoutes } from './admin/admin.ts';
import { AuthError, createAuthErrorResponse } from './auth-error.ts';
import type { AuthContext, ClientInfo } from './context.ts';
import { describeUser } from './describe-user.ts';
import type { AuthEnvironment } from './environment.ts';
import { challengeFactor, enrollFactor, unenrollFactor, verifyFactor } from './factors.ts';
import { assertManualLinkingEnabled, unlinkIdentity } from './identities.ts';
import { readAuthRequestBody } from './input.ts';
import { rejectSingleSignOn } from './unsupported-sign-in.ts';
import { sendOtp } from './otp.ts';
import { requireSessionUser, requireSessionUserAtAnyLevel, logOut } from './session-user.ts';
import type { SessionUser } from './session-user.ts';
import { startProviderSignIn, handleProviderCallback } from './providers/provider-sign-in.ts';
import { sendReauthenticationCode, assertRecentAuthentication } from './reauthentication.ts';
import { sendRecoveryMail, resendSignUpMail } from './recovery.ts';
import { grantToken } from './sign-in.ts';
import { handleSignUp } from './sign-up.ts';
import { updateOwnUser } from './update-user.ts';
import { followLink, verifyOtp } from './verify.ts';

type UserHandler = (c: Context<AuthEnvironment>, sessionUser: SessionUser) => Promise<Response>;

/** Serves /auth/v1 as GoTrue does. Throws unexpected errors, such as a lost database connection. */
export function createAuthRoutes(ctx: AuthContext): Hono<AuthEnvironment> {
  const app = new Hono<AuthEnvironment>().basePath('/auth/v1');
  const routes: Routes = {
    ctx,
    app,
    getRedirect: (c) => ctx.redirects.choose(c.req.query('redirect_to')),
    signedIn: (handler) => async (c) => handler(c, await requireSessionUser(ctx, c.req.raw)),
    pendingMfa: (handler) => async (c) =>
      handler(c, await requireSessionUserAtAnyLevel(ctx, c.req.raw)),
  };
  addSignInRoutes(routes);
  addUserRoutes(routes);
  addFactorRoutes(routes);
  app.get('/.well-known/jwks.json', (c) => c.json(ctx.keys.publicKeys));
  app.get('/settings', (c) => c.json(describeSettings(ctx)));
  app.get('/health', (c) => c.json({ name: 'Vitrine', description: 'Compatible with GoTrue' }));

  app.post('/sso', rejectSingleSignOn);
  app.route('/', createAdminRoutes(ctx));

  app.notFound((c) =>
    createAuthErrorResponse(new AuthError(404, 'not_found', 'Not found'), c.req.raw),
  );
  app.onError((error, c) => {
    if (error instanceof AuthError) return createAuthErrorResponse(error, c.req.raw);
    throw error;
  });
  return app;
}

interface Routes {
  readonly ctx: AuthContext;
  readonly app: Hono<AuthEnvironment>;
  getRedirect(c: Context<AuthEnvironment>): ReturnType<AuthContext['redirects']['choose']>;
  // Handlers only get a user through these two, so that a new route rejects `aal1` by default.
  signedIn(handler: UserHandler): RouteHandler;
  pendingMfa(handler: UserHandler): RouteHandler;
}

type RouteHandler = (c: Context<AuthEnvironment>) => Promise<Response>;

/** Sign-up, sign-in, and the emails for both. */
function addSignInRoutes({ ctx, app, getRedirect }: Routes): void {
  app.post('/signup', async (c) =>
    c.json(
      await handleSignUp(
        ctx,
        await readAuthRequestBody(c.req.raw),
        getRedirect(c),
        getClientInfo(c),
      ),
    ),
  );
  app.post('/token', async (c) => {
    const grantType = c.req.query('grant_type') ?? null;
    const findSessionUser = () => requireSessionUser(ctx, c.req.raw);
    const body = await readAuthRequestBody(c.req.raw);
    return c.json(await grantToken(ctx, grantType, body, getClientInfo(c), findSessionUser));
  });
  app.post('/otp', async (c) => {
    await sendOtp(ctx, await readAuthRequestBody(c.req.raw), getRedirect(c), getClientInfo(c));
    return c.json({});
  });
  app.post('/recover', async (c) => {
    await sendRecoveryMail(
      ctx,
      await readAuthRequestBody(c.req.raw),
      getRedirect(c),
      getClientInfo(c),
    );
    return c.json({});
  });
  app.post('/resend', async (c) => {
    await resendSignUpMail(
      ctx,
      await readAuthRequestBody(c.req.raw),
      getRedirect(c),
      getClientInfo(c),
    );
    return c.json({});
  });
  app.get('/verify', async (c) => {
    // Mail scanners send HEAD to see where the link leads.
    if (c.req.raw.method === 'HEAD') return c.body(null);
    const target = await followLink(ctx, new URL(c.req.url).searchParams, getClientInfo(c));
    return c.redirect(target.href, 303);
  });
  app.post('/verify', async (c) =>
    c.json(await verifyOtp(ctx, await readAuthRequestBody(c.req.raw), getClientInfo(c))),
  );
}

/** The signed-in user: profile, session and identities. */
function addUserRoutes({ ctx, app, getRedirect, signedIn, pendingMfa }: Routes): void {
  app.post(
    '/logout',
    pendingMfa(async (c, sessionUser) => {
      await logOut(ctx, sessionUser, c.req.query('scope') ?? null);
      return c.body(null, 204);
    }),
  );
  // Clients list their factors with it, so it is available pending MFA.
  app.get(
    '/user',
    pendingMfa(async (c, { user, level }) => c.json(await describeUser(ctx.sql, user, level))),
  );
  app.put(
    '/user',
    signedIn(async (c, sessionUser) => {
      const body = await readAuthRequestBody(c.req.raw);
      return c.json(await updateOwnUser(ctx, sessionUser, body, getRedirect(c), getClientInfo(c)));
    }),
  );
  app.get('/authorize', async (c) => {
    const query = new URL(c.req.url).searchParams;
    return c.redirect((await startProviderSignIn(ctx, query, getClientInfo(c), null)).href, 302);
  });
  app.get('/callback', async (c) => {
    const target = await handleProviderCallback(ctx, new URL(c.req.url).searchParams);
    return c.redirect(target.href, 302);
  });
  app.get(
    '/user/identities/authorize',
    signedIn(async (c, sessionUser) => {
      assertManualLinkingEnabled(ctx);
      assertRecentAuthentication(sessionUser);
      const query = new URL(c.req.url).searchParams;
      const { href } = await startProviderSignIn(ctx, query, getClientInfo(c), sessionUser.user.id);
      const skipsRedirect = query.get('skip_http_redirect') === 'true';
      return skipsRedirect ? c.json({ url: href }) : c.redirect(href, 302);
    }),
  );
  app.delete(
    '/user/identities/:id',
    signedIn(async (c, sessionUser) => {
      await unlinkIdentity(ctx, sessionUser, getIdParam(c));
      return c.json({});
    }),
  );
  app.get(
    '/reauthenticate',
    signedIn(async (c, sessionUser) => {
      await sendReauthenticationCode(ctx, sessionUser, getClientInfo(c));
      return c.json({});
    }),
  );
}

function addFactorRoutes({ ctx, app, signedIn, pendingMfa }: Routes): void {
  app.post(
    '/factors',
    signedIn(async (c, sessionUser) =>
      c.json(await enrollFactor(ctx, sessionUser, await readAuthRequestBody(c.req.raw))),
    ),
  );
  app.post(
    '/factors/:id/challenge',
    pendingMfa(async (c, sessionUser) =>
      c.json(await challengeFactor(ctx, sessionUser, getIdParam(c), getClientInfo(c))),
    ),
  );
  app.post(
    '/factors/:id/verify',
    pendingMfa(async (c, sessionUser) => {
      const body = await readAuthRequestBody(c.req.raw);
      return c.json(await verifyFactor(ctx, sessionUser, getIdParam(c), body, getClientInfo(c)));
    }),
  );
  app.delete(
    '/factors/:id',
    signedIn(async (c, sessionUser) =>
      c.json(await unenrollFactor(ctx, sessionUser, getIdParam(c))),
    ),
  );
}

/** The `:id` parameter of the route. */
function getIdParam(c: Context<AuthEnvironment>): string {
  return c.req.param('id') ?? '';
}

function getClientInfo(c: Context<AuthEnvironment>): ClientInfo {
  const { clientIp } = c.env;
  const userAgent = c.req.header('user-agent') ?? '';
  return { ipAddress: clientIp, rateLimitKey: toRateLimitKey(clientIp), userAgent };
}

function describeSettings(ctx: AuthContext) {
  return {
    external: {
      ...Object.fromEntries(ctx.providers.names.map((name) => [name, true])),
      email: true,
      phone: false,
      anonymous_users: ctx.settings.isAnonymousSignInEnabled,
    },
    disable_signup: !ctx.settings.isSignUpEnabled,
    mailer_autoconfirm: !ctx.confirmEmail,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
    mfa_enabled: ctx.settings.isTotpVerifyEnabled,
  };
}
