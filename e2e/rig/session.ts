/** Creates accounts and sessions through the API, for tests of other features. */
import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from '@playwright/test';
import { connectDatabase, openPostgres } from '@vitrine/backend/postgres';
import type { TestServer } from '@vitrine/testing/server';

export interface Account {
  readonly email: string;
  readonly password: string;
  /** Omitted for an account without a username. */
  readonly username?: string;
}

/** A session as the auth API returns it and the browser's client stores it. */
interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Name of the session's cookies. The app's server has the same rule. */
function getCookieName({ address }: TestServer): string {
  const isLocal = /(?:^|\.)localhost$/.test(new URL(address).hostname);
  return isLocal ? '__Host-vitrine-session' : 'vitrine-session';
}

/** Maximum length of a cookie's value, as in `@supabase/ssr`. */
const chunkLength = 3_180;

/** Signs up an account. Resolves to its first session. */
export function signUpAccount(
  server: TestServer,
  { email, password, username }: Account,
): Promise<Session> {
  const data = username === undefined ? {} : { username };
  return requestSession(server, 'signup', { email, password, data });
}

/** Signs in to an account. Resolves to a new session. */
export function signInToAccount(
  server: TestServer,
  { email, password }: Account,
): Promise<Session> {
  return requestSession(server, 'token?grant_type=password', { email, password });
}

async function requestSession(server: TestServer, path: string, body: object): Promise<Session> {
  // By IP address, because Node can't resolve the name.
  const address = `http://127.0.0.1:${new URL(server.address).port}/auth/v1/${path}`;
  const response = await fetch(address, {
    method: 'POST',
    headers: { apikey: readPublishableKey(server), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  if (!isSession(answer)) throw new Error(`no session in ${JSON.stringify(answer)}`);
  return answer;
}

export function readPublishableKey({ dataDir }: TestServer): string {
  const { publishableKey } = JSON.parse(readFileSync(`${dataDir}/secrets.json`, 'utf8'));
  return publishableKey;
}

/** Sets a session's cookies in the browser, as the app's client would. */
export async function setSession(
  context: BrowserContext,
  server: TestServer,
  session: Session,
): Promise<void> {
  const value = `base64-${Buffer.from(JSON.stringify(session)).toString('base64url')}`;
  const chunks = value.match(new RegExp(`.{1,${chunkLength}}`, 'g')) ?? [];
  const cookieName = getCookieName(server);
  const secure = cookieName.startsWith('__Host-') ? '; Secure' : '';
  const attributes = `Path=/; SameSite=Lax; Priority=High; Max-Age=86400${secure}`;
  const page = await context.newPage();
  await page.goto(`${server.address}/healthz`);
  await page.evaluate(
    (cookies) => {
      for (const cookie of cookies) document.cookie = cookie;
    },
    chunks.map((chunk, index) => `${cookieName}.${index}=${chunk}; ${attributes}`),
  );
  await page.close();
}

/** Reads the session in the browser's cookies. */
export async function readSession(context: BrowserContext, server: TestServer): Promise<Session> {
  const cookies = (await context.cookies(server.address)).filter(({ name }) =>
    new RegExp(`^${getCookieName(server)}(\\.\\d+)?$`).test(name),
  );
  const value = cookies.toSorted((a, b) => a.name.localeCompare(b.name)).map((one) => one.value);
  const text = Buffer.from(value.join('').slice('base64-'.length), 'base64url').toString();
  const session: unknown = JSON.parse(text);
  if (!isSession(session)) throw new Error(`the cookies hold ${text}`);
  return session;
}

/** Refreshes the session in a page. Resolves to the status: 400 for an ended session. */
export async function getRefreshStatus(page: Page, server: TestServer): Promise<number> {
  const { refresh_token } = await readSession(page.context(), server);
  return page.evaluate(
    async ([apikey, token]) => {
      const response = await fetch('/auth/v1/token?grant_type=refresh_token', {
        method: 'POST',
        headers: { apikey, 'content-type': 'application/json' },
        body: JSON.stringify({ refresh_token: token }),
      });
      return response.status;
    },
    [readPublishableKey(server), refresh_token] as const,
  );
}

const quiet = { info() {}, warn() {}, error() {} };

/** Runs SQL in the server's database. */
async function withDatabase(
  { dataDir }: TestServer,
  work: (sql: ReturnType<typeof connectDatabase>) => Promise<unknown>,
): Promise<void> {
  const { database, close } = await openPostgres({ dataDir, log: quiet });
  const sql = connectDatabase(database, { max: 1 });
  try {
    await work(sql);
  } finally {
    await sql.end();
    await close();
  }
}

/** Backdates the last authentication of an account's sessions. */
export function backdateSessions(server: TestServer, email: string, minutes = 11): Promise<void> {
  return withDatabase(server, async (sql) => {
    const aged = await sql`
      update auth.mfa_amr_claims set updated_at = updated_at - make_interval(mins => ${minutes})
      where session_id in (
        select s.id from auth.sessions s join auth.users u on u.id = s.user_id
        where u.email = ${email})`;
    if (aged.count === 0) throw new Error(`${email} has no session`);
  });
}

/** Suspends an account. */
export function suspend(server: TestServer, username: string): Promise<void> {
  return withDatabase(server, async (sql) => {
    await sql`update public.profiles set suspended_at = now() where username = ${username}`;
  });
}

export interface SeededProject {
  readonly title: string;
  readonly visibility?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly creationKey?: string;
}

/**
 * Adds projects without documents to an account, for tests of lists. Each was updated an hour before
 * the last one.
 */
export function addProjects(
  server: TestServer,
  email: string,
  projects: readonly SeededProject[],
): Promise<void> {
  return withDatabase(server, async (sql) => {
    for (const [index, seeded] of projects.entries()) {
      const { title, visibility = 'private', files = {}, creationKey = null } = seeded;
      const at = new Date(Date.now() - (index + 2) * 3_600_000);
      const [project] = await sql<{ id: string }[]>`
        insert into public.projects
          (owner_id, title, visibility, creation_key, created_at, updated_at)
        select id, ${title}, ${visibility}, ${creationKey}::uuid, ${at}, ${at}
        from auth.users where email = ${email}
        returning id`;
      if (!project) throw new Error(`${email} has no account`);
      for (const [path, content] of Object.entries(files))
        await sql`insert into public.project_files (project_id, path, content)
          values (${project.id}, ${path}, ${content})`;
    }
  });
}

/** Invites a user to all projects of another account that have this title. */
export function inviteUser(
  server: TestServer,
  email: string,
  { title, username }: { title: string; username: string },
): Promise<void> {
  return withDatabase(server, async (sql) => {
    const made = await sql`
      insert into public.invitations
        (project_id, kind, role, invited_user, created_by, expires_at)
      select p.id, 'user', 'editor', invited.id, p.owner_id, now() + interval '7 days'
      from auth.users owner join public.projects p on p.owner_id = owner.id
        cross join public.profiles invited
      where owner.email = ${email} and p.title = ${title} and invited.username = ${username}`;
    if (made.count === 0) throw new Error(`${email} has no project ${title}`);
  });
}

/** Ends the invitations to a project, by its slug, as if their time had passed. */
export function expireInvitations(server: TestServer, slug: string): Promise<void> {
  return withDatabase(server, async (sql) => {
    const expired = await sql`
      update public.invitations set expires_at = now() - interval '1 minute'
      where project_id = (select id from public.projects where slug = ${slug})`;
    if (expired.count === 0) throw new Error(`${slug} has no invitations`);
  });
}

function isSession(value: unknown): value is Session {
  return (
    typeof value === 'object' &&
    value !== null &&
    'access_token' in value &&
    typeof value.access_token === 'string' &&
    'refresh_token' in value &&
    typeof value.refresh_token === 'string'
  );
}

/** Adds a project member or removes one, with the secret key. */
export async function setProjectMember(
  server: TestServer,
  { project, username }: { project: string; username: string },
  role: 'viewer' | 'editor' | null,
): Promise<void> {
  const [{ id: user_id }] = await rest(server, 'GET', `profiles?username=eq.${username}&select=id`);
  const [{ id: project_id }] = await rest(server, 'GET', `projects?slug=eq.${project}&select=id`);
  if (role) await rest(server, 'POST', 'project_members', { project_id, user_id, role });
  else
    await rest(
      server,
      'DELETE',
      `project_members?project_id=eq.${project_id}&user_id=eq.${user_id}`,
    );
}

/** Confirms an account's email address, as the administrator. */
export async function confirmEmailAddress(server: TestServer, email: string): Promise<void> {
  const path = 'auth/v1/admin/users';
  const { users } = await request(server, 'GET', `${path}?filter=${encodeURIComponent(email)}`);
  await request(server, 'PUT', `${path}/${users[0].id}`, { email_confirm: true });
}

function rest(server: TestServer, method: string, path: string, body?: object) {
  return request(server, method, `rest/v1/${path}`, body);
}

/** Sends a request to the backend with the secret key. */
async function request(server: TestServer, method: string, path: string, body?: object) {
  const { secretKey } = JSON.parse(readFileSync(`${server.dataDir}/secrets.json`, 'utf8'));
  const response = await fetch(`http://127.0.0.1:${new URL(server.address).port}/${path}`, {
    method,
    headers: {
      apikey: secretKey,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return JSON.parse(await response.text());
}
