import type { ServedProject } from './compiled-files.ts';

export interface WantedProject {
  slug: string;
  accessToken?: string;
}

type ReadProject = (wanted: WantedProject) => Promise<ServedProject | undefined>;

export interface RecentProjects {
  /** As it is now; for what is visited. */
  read: ReadProject;
  /** As it was when the page that loads this was asked for, if that was just now. */
  readForPage: ReadProject;
}

/** A page asks for what it loads within this time, and browsers keep it afterwards. */
const keptMs = 10_000;
/** The same for what was read with an access token: with its session, access ends within 5 s. */
const keptWithTokenMs = 4_000;
/** Characters of all that is kept; the reading from longest ago leaves first. */
const keptCharacters = 30_000_000;

/**
 * A project of 200 modules is read once for its page, and not 200 times more: what a page loads is of
 * the same reading, by the same person. Entries leave after `keptMs`, or for newer ones.
 */
export function createRecentProjects(readProject: ReadProject): RecentProjects {
  const kept = new Map<string, { project: ServedProject; characters: number; at: number }>();
  const keyOf = ({ slug, accessToken = '' }: WantedProject) => `${slug} ${accessToken}`;

  const prune = () => {
    let characters = [...kept.values()].reduce((sum, entry) => sum + entry.characters, 0);
    for (const [key, entry] of kept) {
      if (characters <= keptCharacters && Date.now() - entry.at < keptMs) return;
      characters -= entry.characters;
      kept.delete(key);
    }
  };
  const read: ReadProject = async (wanted) => {
    // When the reading began: the database answers for no later moment.
    const at = Date.now();
    const project = await readProject(wanted);
    kept.delete(keyOf(wanted));
    if (project) {
      const characters = [...project.files.values()].reduce((sum, text) => sum + text.length, 0);
      kept.set(keyOf(wanted), { project, characters, at });
      setTimeout(prune, keptMs).unref();
    }
    prune();
    return project;
  };

  return {
    read,
    async readForPage(wanted) {
      const entry = kept.get(keyOf(wanted));
      const lifetimeMs = wanted.accessToken === undefined ? keptMs : keptWithTokenMs;
      return entry && Date.now() - entry.at < lifetimeMs ? entry.project : read(wanted);
    },
  };
}
