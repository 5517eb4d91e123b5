/** Templates of the instance: public projects that `/new` offers to everyone. */
import { connectDatabase } from '@vitrine/backend/postgres';
import { isSlug } from '@vitrine/project';
import { withDatabase } from './instance.ts';
import { CommandError, printLine } from './terminal.ts';

interface Project {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly username: string | null;
  /** Public, not hidden by a moderator and not in the trash. */
  readonly is_public: boolean;
}

type Sql = ReturnType<typeof connectDatabase>;

/** @param address URL of the project, or its slug. */
export async function addTemplate(address: string): Promise<void> {
  await withProject(address, async (sql, { id, slug, title, is_public: isPublic }) => {
    if (!isPublic) {
      throw new CommandError(
        `“${title}” isn’t public. Only public projects can be templates for everyone.`,
      );
    }
    const added = await sql`
      insert into public.instance_templates (project_id) values (${id})
      on conflict do nothing returning project_id`;
    printLine(
      added.length > 0
        ? `Added “${title}” (${slug}) to the templates.`
        : `“${title}” (${slug}) is already a template.`,
    );
  });
}

/** @param address URL of the project, or its slug. */
export async function removeTemplate(address: string): Promise<void> {
  await withProject(address, async (sql, { id, slug, title }) => {
    const removed = await sql`
      delete from public.instance_templates where project_id = ${id} returning project_id`;
    if (removed.length === 0) throw new CommandError(`“${title}” (${slug}) isn’t a template.`);
    printLine(`Removed “${title}” (${slug}) from the templates.`);
  });
}

/** Prints all templates, in the order of the list on `/new`. */
export async function listTemplates(): Promise<void> {
  const templates = await withSql(
    (sql) => sql<Project[]>`
      select ${projectColumns(sql)}
      from public.instance_templates t join public.projects p on p.id = t.project_id
      join public.profiles o on o.id = p.owner_id
      order by t.created_at, p.title`,
  );
  if (templates.length === 0) return printLine('No project is a template.');
  for (const { username, slug, title, is_public: isPublic } of templates)
    printLine(
      `@${username ?? '…'}/${slug}  ${title}${isPublic ? '' : ' (not listed: not public)'}`,
    );
}

async function withProject(
  address: string,
  work: (sql: Sql, project: Project) => Promise<void>,
): Promise<void> {
  const slug = /([^/?#]+)\/?(?:[?#].*)?$/.exec(address)?.[1] ?? '';
  if (!isSlug(slug)) {
    throw new CommandError(
      `“${address}” isn’t the address of a project. Use one like https://vitrine.example/@ann/k3v9x2m4q8w1z7t5.`,
    );
  }
  await withSql(async (sql) => {
    const [project] = await sql<Project[]>`
      select ${projectColumns(sql)}
      from public.projects p join public.profiles o on o.id = p.owner_id
      where p.slug = ${slug}`;
    if (!project) throw new CommandError(`There is no project ${slug}.`);
    await work(sql, project);
  });
}

function projectColumns(sql: Sql) {
  return sql`
    p.id, p.slug, p.title, o.username,
    p.visibility = 'public' and p.hidden_at is null and p.trashed_at is null as is_public`;
}

function withSql<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
  return withDatabase(async (database) => {
    const sql = connectDatabase(database, { max: 1 });
    return await work(sql).finally(() => sql.end());
  });
}
