import Plus from 'lucide-react/icons/plus';
import type { ReactNode } from 'react';
import { listPendingInvitations } from '../people/pending-invitations.server.ts';
import { PendingInvitations } from '../people/pending-invitations.tsx';
import { requestContext } from '../request-context.ts';
import { useViewer } from '../session/viewer.ts';
import { ButtonLink } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Route } from './+types/work';
import { DraftList } from './draft-list.tsx';
import { listOwnProjects } from './own-projects.server.ts';
import { ProjectList, TrashList } from './project-list.tsx';
import styles from './work.module.css';

export const meta: Route.MetaFunction = () => [{ title: 'Your work — Vitrine' }];

/** Maximum number of projects in a list. */
const listLimit = 200;

export async function loader({ context }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  const [invitations, projects, trash] = await Promise.all([
    listPendingInvitations(request),
    listOwnProjects(request, { trashed: false, limit: listLimit }),
    listOwnProjects(request, { trashed: true, limit: listLimit }),
  ]);
  return { invitations, projects, trash };
}

export default function Work({ loaderData }: Route.ComponentProps) {
  const { invitations, projects, trash } = loaderData;
  const viewer = useViewer();
  return (
    <div className={styles.page}>
      <h1 className={styles.title}>Your work</h1>
      <PendingInvitations invitations={invitations} />
      {viewer && (
        <Section title="Projects">
          {projects.length > 0 ? (
            <ProjectList projects={projects} username={viewer.username ?? ''} />
          ) : (
            <EmptyState title="No projects yet. Save a draft to create one.">
              <ButtonLink to="/new" icon={<Plus aria-hidden />}>
                New project
              </ButtonLink>
            </EmptyState>
          )}
        </Section>
      )}
      <Section title="Drafts on this device">
        <DraftList key={viewer?.id} />
      </Section>
      {trash.length > 0 && (
        <Section title="Trash" note="Projects in the trash are deleted after 30 days.">
          <TrashList projects={trash} />
        </Section>
      )}
    </div>
  );
}

function Section({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.head}>
        <h2 className={styles.heading}>{title}</h2>
        {note && <p className={styles.note}>{note}</p>}
      </div>
      {children}
    </section>
  );
}
