import { Hono } from 'hono';
import type { Context } from 'hono';
import { createAdmin } from './admin.ts';
import { AuthError, answerError } from './auth-error.ts';
import type { AuthContext, Caller } from './context.ts';
import { describeUser } from './describe-user.ts';
import type { AuthEnvironment } from './environment.ts';
import { challengeFactor, enrollFactor, unenrollFactor, verifyFactor } from './factors.ts';
import { refuseLinking, unlinkIdentity } from './identities.ts';
import { readBody } from './input.ts';
import { refuseSingleSignOn } from './not-offered.ts';
import { mailSignIn } from './one-time-sign-in.ts';
import { requirePerson, signOut } from './person.ts';
import { leaveForProvider, returnFromProvider } from './provider-sign-in.ts';
import { reauthenticate, recover, resend } from './recovery.ts';
import { grantToken } from './sign-in.ts';
import { signUp } from './sign-up.ts';
import { updateUser } from './update-user.ts';
import { followLink, redeem } from './verify.ts';

/** Answers /auth/v1 as GoTrue does. Throws what is no answer of its own: a gone database, a defect. */
export function createAuthRoutes(ctx: AuthContext): Hono<AuthEnvironment> {
  const app = new Hono<AuthEnvironment>().basePath('/auth/v1');
  const redirectOf = (c: Context<AuthEnvironment>) =>
    ctx.redirects.choose(c.req.query('redirect_to'));

  app.post('/signup', async (c) =>
    c.json(await signUp(ctx, await readBody(c.req.raw), redirectOf(c), callerOf(c))),
  );
  app.post('/token', async (c) => {
    const grantType = c.req.query('grant_type') ?? null;
    const findPerson = () => requirePerson(ctx, c.req.raw);
    const body = await readBody(c.req.raw);
    return c.json(await grantToken(ctx, grantType, body, callerOf(c), findPerson));
  });
  app.post('/otp', async (c) => {
    await mailSignIn(ctx, await readBody(c.req.raw), redirectOf(c), callerOf(c));
    return c.json({});
  });
  app.post('/recover', async (c) => {
    await recover(ctx, await readBody(c.req.raw), redirectOf(c), callerOf(c));
    return c.json({});
  });
  app.post('/resend', async (c) => {
    await resend(ctx, await readBody(c.req.raw), redirectOf(c), callerOf(c));
    return c.json({});
  });
  app.get('/verify', async (c) => {
    // A scanner's look at where the link leads.
    if (c.req.raw.method === 'HEAD') return c.body(null);
    const target = await followLink(ctx, new URL(c.req.url).searchParams, callerOf(c));
    return c.redirect(target.href, 303);
  });
  app.post('/verify', async (c) =>
    c.json(await redeem(ctx, await readBody(c.req.raw), callerOf(c))),
  );
  app.post('/logout', async (c) => {
    await signOut(ctx, await requirePerson(ctx, c.req.raw), c.req.query('scope') ?? null);
    return c.body(null, 204);
  });
  app.get('/user', async (c) => {
    const { user } = await requirePerson(ctx, c.req.raw);
    return c.json(await describeUser(ctx.sql, user));
  });
  app.put('/user', async (c) => {
    const person = await requirePerson(ctx, c.req.raw);
    const body = await readBody(c.req.raw);
    return c.json(await updateUser(ctx, person, body, redirectOf(c), callerOf(c)));
  });
  app.get('/authorize', async (c) => {
    const query = new URL(c.req.url).searchParams;
    return c.redirect((await leaveForProvider(ctx, query, callerOf(c), null)).href, 302);
  });
  app.get('/callback', async (c) => {
    const target = await returnFromProvider(ctx, new URL(c.req.url).searchParams);
    return c.redirect(target.href, 302);
  });
  app.get('/user/identities/authorize', async (c) => {
    const { user } = await requirePerson(ctx, c.req.raw);
    refuseLinking(ctx);
    const query = new URL(c.req.url).searchParams;
    const { href } = await leaveForProvider(ctx, query, callerOf(c), user.id);
    const isAsked = query.get('skip_http_redirect') === 'true';
    return isAsked ? c.json({ url: href }) : c.redirect(href, 302);
  });
  app.delete('/user/identities/:id', async (c) => {
    await unlinkIdentity(ctx, await requirePerson(ctx, c.req.raw), c.req.param('id'));
    return c.json({});
  });
  app.get('/reauthenticate', async (c) => {
    await reauthenticate(ctx, await requirePerson(ctx, c.req.raw), callerOf(c));
    return c.json({});
  });
  app.post('/factors', async (c) => {
    const person = await requirePerson(ctx, c.req.raw);
    return c.json(await enrollFactor(ctx, person, await readBody(c.req.raw)));
  });
  app.post('/factors/:id/challenge', async (c) => {
    const person = await requirePerson(ctx, c.req.raw);
    return c.json(await challengeFactor(ctx, person, c.req.param('id'), callerOf(c)));
  });
  app.post('/factors/:id/verify', async (c) => {
    const person = await requirePerson(ctx, c.req.raw);
    const body = await readBody(c.req.raw);
    return c.json(await verifyFactor(ctx, person, c.req.param('id'), body, callerOf(c)));
  });
  app.delete('/factors/:id', async (c) =>
    c.json(await unenrollFactor(ctx, await requirePerson(ctx, c.req.raw), c.req.param('id'))),
  );
  app.get('/.well-known/jwks.json', (c) => c.json(ctx.keys.publicKeys));
  app.get('/settings', (c) => c.json(describeSettings(ctx)));
  app.get('/health', (c) => c.json({ name: 'Vitrine', description: 'Answers as GoTrue does' }));

  app.post('/sso', refuseSingleSignOn);
  app.route('/', createAdmin(ctx));

  app.notFound((c) => answerError(new AuthError(404, 'not_found', 'Not found'), c.req.raw));
  app.onError((error, c) => {
    if (error instanceof AuthError) return answerError(error, c.req.raw);
    throw error;
  });
  return app;
}

function callerOf(c: Context<AuthEnvironment>): Caller {
  return { address: c.env.address, userAgent: c.req.header('user-agent') ?? '' };
}

function describeSettings(ctx: AuthContext) {
  return {
    external: {
      ...Object.fromEntries(ctx.providers.names.map((name) => [name, true])),
      email: true,
      phone: false,
      anonymous_users: ctx.settings.anonymousSignIns,
    },
    disable_signup: !ctx.settings.signUp,
    mailer_autoconfirm: !ctx.confirmEmail,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
    mfa_enabled: ctx.settings.totpVerify,
  };
}
