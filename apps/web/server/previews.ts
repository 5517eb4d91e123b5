import { createClient } from '@supabase/supabase-js';
import { createPreviewServer, type ServedProject } from '@vitrine/sandbox/server';
import type { Hosts } from './hosts.ts';
import type { BackendAccess } from './session.ts';

export type Previews = ReturnType<typeof createPreviewServer>;

/** The preview hosts' server, reading saved projects as whoever may see them. */
export function createPreviews(o: {
  hosts: Hosts;
  secret: Uint8Array;
  backend: BackendAccess;
}): Previews {
  return createPreviewServer({
    appOrigins: [...o.hosts.appOrigins],
    hosts: [...o.hosts.previewHosts],
    secret: o.secret,
    readProject: ({ slug, accessToken }) => readProject(o.backend, slug, accessToken),
  });
}

async function readProject(
  backend: BackendAccess,
  slug: string,
  accessToken: string | undefined,
): Promise<ServedProject | undefined> {
  const supabase = createClient(backend.url, backend.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: {
      ...(backend.fetch ? { fetch: backend.fetch } : {}),
      ...(accessToken ? { headers: { Authorization: `Bearer ${accessToken}` } } : {}),
    },
  });
  const { data, error } = await supabase.rpc('find_project', { slug });
  if (error) throw new Error(`find_project answered ${error.code}: ${error.message}`);
  return data ?? undefined;
}
