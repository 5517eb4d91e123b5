import { isRecord } from '@vitrine/project';
import { listExamples } from '../projects/examples.server.ts';
import type { RequestContext } from '../request-context.ts';
import type { Template, TemplateList } from './template.ts';

/** Number of the user's templates, and of the instance's, that are listed. */
const maxListed = 100;

const projectColumns =
  'slug, title, description, owner:profiles!owner_id(username), project_tags(tag)';

/** Lists the templates that the user can start from; without the database, the built-in ones. */
export async function listTemplates({ supabase, claims }: RequestContext): Promise<TemplateList> {
  const [own, instance] = await Promise.all([
    claims &&
      supabase
        .from('projects')
        .select(projectColumns)
        .eq('owner_id', claims.sub)
        .eq('is_template', true)
        .is('trashed_at', null)
        .order('title')
        .limit(maxListed),
    supabase
      .from('instance_templates')
      .select(`project:projects!inner(${projectColumns})`)
      .order('created_at')
      .limit(maxListed),
  ]);
  const ownTemplates = own?.data?.flatMap(parseProject) ?? [];
  const ownPaths = new Set(ownTemplates.map(({ path }) => path));
  return {
    own: ownTemplates.map((template) => ({ ...template, author: null })),
    instance: (instance.data ?? [])
      .flatMap(({ project }) => parseProject(project))
      .filter(({ path }) => !ownPaths.has(path)),
    isComplete: !own?.error && !instance.error,
    builtIn: listExamples().templates.map(
      ({ slug, title, description, tags, mark, needsRegistry }) => ({
        path: slug,
        title,
        description,
        tags,
        mark,
        author: null,
        needsRegistry,
      }),
    ),
  };
}

/** A project as a template. None if its owner has no username yet, since it has no address then. */
function parseProject(row: unknown): Template[] {
  if (!isRecord(row) || !isRecord(row.owner)) return [];
  const { slug, title, description, owner, project_tags: tags } = row;
  const { username } = owner;
  if (typeof username !== 'string') return [];
  return [
    {
      path: `@${username}/${String(slug)}`,
      title: String(title),
      description: formatFirstLine(String(description)),
      tags: (Array.isArray(tags) ? tags : []).flatMap((tag: unknown) =>
        isRecord(tag) ? [String(tag.tag)] : [],
      ),
      mark: createMark(String(title)),
      author: username,
      needsRegistry: false,
    },
  ];
}

function formatFirstLine(description: string): string {
  return description.trim().split('\n', 1)[0] ?? '';
}

/** "Weekly exercise" → "We" */
function createMark(title: string): string {
  const [first = '', second = ''] = title.match(/[\p{Letter}\p{Number}]/gu) ?? [];
  return first.toUpperCase() + second.toLowerCase();
}
