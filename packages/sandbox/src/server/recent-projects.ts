import { getTexts } from '@vitrine/project';
import type { ServedProject } from './compile-cache.ts';

export interface ProjectRequest {
  slug: string;
  /** Number of a version; the files being edited without it, or the published ones to others. */
  version?: number;
  accessToken?: string;
}

type ReadProject = (request: ProjectRequest) => Promise<ServedProject | undefined>;

export interface RecentProjects {
  /** Current version; for navigations. */
  read: ReadProject;
  /** Version that the page was served from, if that was just now; for the files it loads. */
  readForPage: ReadProject;
}

/** Time within which a page requests its files; after that browsers have cached them. */
const cacheMs = 10_000;
/** Shorter for projects read with an access token: a revoked session loses access within 5 s. */
const cacheWithTokenMs = 4_000;
/** Limit in characters; the oldest reads are dropped first. */
const maxCharacters = 30_000_000;

/**
 * Caches recently read projects, so that a project of 200 modules is read once per page and not 200 times. All files of a
 * page come from the same read, by the same user. Entries are dropped after `cacheMs` or for newer ones.
 */
export function createRecentProjects(readProject: ReadProject): RecentProjects {
  const cached = new Map<string, { project: ServedProject; characters: number; at: number }>();
  const keyOf = ({ slug, version = 0, accessToken = '' }: ProjectRequest) =>
    `${slug} ${version} ${accessToken}`;

  const prune = () => {
    let characters = [...cached.values()].reduce((sum, entry) => sum + entry.characters, 0);
    for (const [key, entry] of cached) {
      if (characters <= maxCharacters && Date.now() - entry.at < cacheMs) return;
      characters -= entry.characters;
      cached.delete(key);
    }
  };
  const read: ReadProject = async (request) => {
    // Time at which the read starts: the result is valid for that moment.
    const at = Date.now();
    const project = await readProject(request);
    cached.delete(keyOf(request));
    if (project) {
      const texts = [...getTexts(project.files).values()];
      const characters = texts.reduce((sum, text) => sum + text.length, 0);
      cached.set(keyOf(request), { project, characters, at });
      setTimeout(prune, cacheMs).unref();
    }
    prune();
    return project;
  };

  return {
    read,
    async readForPage(request) {
      const entry = cached.get(keyOf(request));
      const lifetimeMs = request.accessToken === undefined ? cacheMs : cacheWithTokenMs;
      return entry && Date.now() - entry.at < lifetimeMs ? entry.project : read(request);
    },
  };
}
