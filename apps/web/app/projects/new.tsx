import { useId } from 'react';
import { useNavigate } from 'react-router';
import { useAddressImport } from '../import/address-import.ts';
import { importRequest } from '../import/import-request.ts';
import { Button } from '../ui/button.tsx';
import type { Route } from './+types/new';
import { ExampleCards } from './example-cards.tsx';
import { listExamples, type Example } from './examples.server.ts';
import styles from './new.module.css';

export const meta: Route.MetaFunction = () => [{ title: 'New project — Vitrine' }];

export function loader() {
  return listExamples();
}

export default function NewProject({ loaderData: { templates, examples } }: Route.ComponentProps) {
  useAddressImport();
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <div>
          <h1 className={styles.title}>New project</h1>
          <p className={styles.intro}>Projects stay on this device until you save them.</p>
        </div>
        <Button onClick={() => importRequest.set({})}>Import</Button>
      </div>
      <ul className={styles.templates} aria-label="Templates">
        {templates.map((template) => (
          <li key={template.slug}>
            <TemplateButton template={template} />
          </li>
        ))}
      </ul>
      <h2 className={styles.heading}>Or start from an example</h2>
      <ExampleCards label="Examples" examples={examples} />
    </div>
  );
}

function TemplateButton({ template }: { template: Example }) {
  const navigate = useNavigate();
  const note = useId();
  return (
    <div className={styles.template}>
      <button
        type="button"
        className={styles.templateTitle}
        aria-describedby={note}
        onClick={() => navigate(`/new/${template.slug}`)}
      >
        {template.title}
      </button>
      <span id={note} className={styles.note}>
        {template.description}
      </span>
    </div>
  );
}
