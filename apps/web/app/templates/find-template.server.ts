import type { AssetFile } from '@vitrine/project';
import { findExample, type Example } from '../projects/examples.server.ts';
import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';
import { findProject } from '../workspace/find-project.server.ts';

/** What a new project is made from. */
export interface TemplateContent {
  /** Title of the new project. Its number is added if it's taken. */
  readonly title: string;
  readonly files: readonly (readonly [path: string, content: string])[];
  readonly assets: readonly (readonly [path: string, asset: AssetFile])[];
  /** Id of the project that has the assets. Null for a built-in template. */
  readonly project: string | null;
}

/** Parameters of a template's route: of a built-in one, or of a project. */
interface TemplateParams {
  readonly template?: string | undefined;
  readonly handle?: string | undefined;
  readonly slug?: string | undefined;
}

/**
 * Finds what a template contains. Throws "not found" both for missing
 * templates and for projects that the user may not see or that aren't templates.
 */
export async function findTemplate(
  request: RequestContext,
  { template, handle, slug }: TemplateParams,
): Promise<TemplateContent> {
  if (template !== undefined) {
    const example = findExample(template);
    if (!example) throw routeError('not_found_or_private');
    return { title: createTitle(example), files: example.files, assets: [], project: null };
  }
  const found =
    handle?.startsWith('@') && slug !== undefined ? await findProject(request, slug) : undefined;
  if (!found || !(found.isTemplate || (await isInstanceTemplate(request, found.identity.id))))
    throw routeError('not_found_or_private');
  const { identity, files, assets } = found;
  return { title: identity.title, files, assets, project: identity.id };
}

async function isInstanceTemplate({ supabase }: RequestContext, id: string): Promise<boolean> {
  const { data, error } = await supabase
    .from('instance_templates')
    .select('project_id')
    .eq('project_id', id);
  if (error) throw routeError('backend_unreachable');
  return data.length > 0;
}

/** "React" → "Untitled React project". Examples keep their own title. */
function createTitle({ slug, title, isTemplate }: Example): string {
  if (!isTemplate) return title;
  return ['html', 'empty'].includes(slug) ? 'Untitled project' : `Untitled ${title} project`;
}
