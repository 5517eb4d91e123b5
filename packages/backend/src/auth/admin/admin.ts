import { Hono } from 'hono';
import { generateLink, inviteUser } from './admin-links.ts';
import {
  updateUserAsAdmin,
  createUserAsAdmin,
  deleteUserAsAdmin,
  listUsers,
  requireUserById,
} from './admin-users.ts';
import type { UserPage } from './admin-users.ts';
import { AuthError, createValidationError } from '../auth-error.ts';
import type { AuthContext } from '../context.ts';
import { describeUser, listFactors } from '../describe-user.ts';
import type { AuthEnvironment } from '../environment.ts';
import { removeFactor, requireFactor } from '../factors.ts';
import { isMissing, readAuthRequestBody } from '../input.ts';

/** GoTrue's admin API: requires the secret key, user tokens are rejected. */
export function createAdminRoutes(ctx: AuthContext): Hono<AuthEnvironment> {
  const app = new Hono<AuthEnvironment>();
  for (const path of ['/invite', '/admin/*']) {
    app.use(path, async (c, next) => {
      if (!c.env.isService) throw createNotAdminError(c.req.header('authorization'));
      await next();
    });
  }
  app.post('/invite', async (c) => {
    const body = await readAuthRequestBody(c.req.raw);
    return c.json(await inviteUser(ctx, body, ctx.redirects.choose(c.req.query('redirect_to'))));
  });
  app.post('/admin/generate_link', async (c) => {
    const body = await readAuthRequestBody(c.req.raw);
    const { redirect_to: bodyRedirect } = body;
    const requestedRedirect =
      typeof bodyRedirect === 'string' ? bodyRedirect : c.req.query('redirect_to');
    return c.json(await generateLink(ctx, body, ctx.redirects.choose(requestedRedirect)));
  });
  app.get('/admin/users', async (c) => {
    const page = await listUsers(ctx, new URL(c.req.url).searchParams);
    return c.json(
      { users: page.users, aud: 'authenticated' },
      200,
      createPageHeaders(c.req.path, page),
    );
  });
  app.post('/admin/users', async (c) =>
    c.json(await createUserAsAdmin(ctx, await readAuthRequestBody(c.req.raw))),
  );
  app.get('/admin/users/:id', async (c) =>
    c.json(await describeUser(ctx.sql, await requireUserById(ctx, c.req.param('id')))),
  );
  app.put('/admin/users/:id', async (c) => {
    const user = await requireUserById(ctx, c.req.param('id'));
    return c.json(await updateUserAsAdmin(ctx, user, await readAuthRequestBody(c.req.raw)));
  });
  app.delete('/admin/users/:id', async (c) => {
    const user = await requireUserById(ctx, c.req.param('id'));
    const hasBody = c.req.raw.body !== null;
    await deleteUserAsAdmin(ctx, user, hasBody ? await readAuthRequestBody(c.req.raw) : {});
    return c.json({});
  });
  app.get('/admin/users/:id/factors', async (c) => {
    const { id } = await requireUserById(ctx, c.req.param('id'));
    return c.json(await listFactors(ctx.sql, id));
  });
  app.put('/admin/users/:id/factors/:factor', async (c) => {
    const { id } = await requireUserById(ctx, c.req.param('id'));
    const factor = await requireFactor(ctx.sql, id, c.req.param('factor'));
    const { friendly_name: name } = await readAuthRequestBody(c.req.raw);
    if (isMissing(name) || typeof name !== 'string' || name.length > 100) {
      throw createValidationError('friendly_name must be a string of at most 100 characters');
    }
    await ctx.sql`
      update auth.mfa_factors set friendly_name = ${name}, updated_at = now()
      where id = ${factor.id}`;
    return c.json((await listFactors(ctx.sql, id)).find((one) => one.id === factor.id) ?? {});
  });
  app.delete('/admin/users/:id/factors/:factor', async (c) => {
    const { id } = await requireUserById(ctx, c.req.param('id'));
    const factor = await requireFactor(ctx.sql, id, c.req.param('factor'));
    const [described] = (await listFactors(ctx.sql, id)).filter((one) => one.id === factor.id);
    await removeFactor(ctx, factor.id);
    return c.json(described ?? {});
  });
  return app;
}

function createNotAdminError(authorization: string | undefined): AuthError {
  return isMissing(authorization)
    ? new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
    : new AuthError(403, 'not_admin', 'User not allowed');
}

/** Pagination headers. supabase-js reads the numbers of the next and the last page from `OneTimeToken`. */
function createPageHeaders(
  path: string,
  { total, page, perPage }: UserPage,
): Record<string, string> {
  const last = Math.max(1, Math.ceil(total / perPage));
  const link = (to: number, rel: string) =>
    `<${path}?page=${to}&per_page=${perPage}>; rel="${rel}"`;
  const links = [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')];
  return { link: links.join(', '), 'x-total-count': String(total) };
}
