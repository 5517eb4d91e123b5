import { Link } from 'react-router';
import { ExampleCards } from '../projects/example-cards.tsx';
import { listExamples } from '../projects/examples.server.ts';
import { listOwnProjects } from '../projects/own-projects.server.ts';
import { ProjectList } from '../projects/project-list.tsx';
import { requestContext } from '../request-context.ts';
import { useViewer } from '../session/viewer.ts';
import { ButtonLink } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Route } from './+types/home';
import styles from './home.module.css';
import { Welcome } from './welcome.tsx';

export const meta: Route.MetaFunction = () => [
  { title: 'Vitrine' },
  {
    name: 'description',
    content:
      'A self-hosted code playground. Write HTML, CSS, and JavaScript, see it run as you type, and share it.',
  },
];

const recentCount = 6;

/** Featured examples, picked for variety: a canvas, only CSS, sound, a site. */
const featured = ['murmuration', 'lighthouse', 'sequencer', 'mandelbrot', 'specimen', 'snake'];

export async function loader({ context }: Route.LoaderArgs) {
  const { examples } = listExamples();
  return {
    projects: await listOwnProjects(context.get(requestContext), {
      trashed: false,
      limit: recentCount,
    }),
    examples: featured.flatMap((slug) => examples.find((example) => example.slug === slug) ?? []),
  };
}

export default function Home({ loaderData: { projects, examples } }: Route.ComponentProps) {
  const viewer = useViewer();
  return (
    <>
      {viewer && (
        <section className={styles.section} aria-label="Recent work">
          <div className={styles.head}>
            <h1 className={styles.heading}>Recent work</h1>
            <Link to="/work" className={styles.all}>
              All your work
            </Link>
          </div>
          {projects.length > 0 ? (
            <ProjectList projects={projects} username={viewer.username ?? ''} />
          ) : (
            <EmptyState title="No projects yet. Start from a template or an example.">
              <ButtonLink to="/new" variant="primary">
                New project
              </ButtonLink>
            </EmptyState>
          )}
        </section>
      )}
      {!viewer && <Welcome />}
      <section className={`${styles.section} ${viewer ? '' : styles.wide}`} aria-label="Examples">
        <div className={styles.head}>
          <h2 className={styles.heading}>Examples</h2>
          <Link to="/new" className={styles.all}>
            All examples
          </Link>
        </div>
        <ExampleCards label="Examples" examples={examples} />
      </section>
    </>
  );
}
