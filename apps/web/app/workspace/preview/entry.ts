import { isSlug } from '@vitrine/project';
import { requestContext, type PageSettings } from '../../request-context.ts';
import type { Route } from './+types/entry';

/**
 * POST { origin, key } → { entry }: a one-time URL that opens a preview of the project, or of one of
 * its versions, as the user of this session sees it. The preview reads the project as that user, so the database decides
 * what it contains. Checked here: the URL belongs to one of our preview origins.
 */
export async function action({ context, params, request }: Route.ActionArgs) {
  const { origin: appOrigin, claims, page, createPreviewAccessUrl } = context.get(requestContext);
  if (claims === null) return refuse(401);
  const type = request.headers.get('content-type') ?? '';
  if (!isSlug(params.slug) || !/^application\/x-www-form-urlencoded\b/i.test(type))
    return refuse(400);
  const form = await request.formData();
  const origin = form.get('origin');
  const key = form.get('key');
  if (typeof key !== 'string' || !isKeyOf(params.slug, key)) return refuse(400);
  if (typeof origin !== 'string' || !previewOrigins(appOrigin, page, key).includes(origin)) {
    return refuse(400);
  }
  const entry = await createPreviewAccessUrl(origin, key);
  return entry === null ? refuse(401) : Response.json({ entry });
}

/** `SLUG`, `edit--SLUG` or `v12--SLUG`. */
function isKeyOf(slug: string, key: string): boolean {
  return new RegExp(`^(?:(?:edit|v[1-9]\\d{0,8})--)?${slug}$`).test(key);
}

/** Rejects GET requests. */
export function loader() {
  return refuse(405);
}

function previewOrigins(appOrigin: string, page: PageSettings, key: string): string[] {
  const { protocol, host } = new URL(appOrigin);
  const hosts = page.previewHost === null ? [host] : [host, page.previewHost];
  return hosts.map((each) => `${protocol}//${key}.${each}`);
}

function refuse(status: number): Response {
  return new Response(null, { status });
}
