import { Button } from '../ui/button.tsx';
import { download } from '../ui/download.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useAttempt } from './attempt.ts';
import { callFunction } from './call-function.ts';
import settings from './settings.module.css';

/** Settings section to download all data of the account as a zip. */
export function ExportSection() {
  const { busy, trouble, send } = useAttempt();

  const exportData = () =>
    send([], async (_auth, client) => {
      const answer = await callFunction(client, 'export-data', 'export_failed');
      if (answer.code !== undefined) return { code: answer.code };
      if (!(answer.data instanceof Blob)) return { code: 'export_failed' };
      download(answer.data, 'vitrine-data.zip');
      return null;
    });

  return (
    <section className={settings.section} aria-labelledby="export-heading">
      <h2 id="export-heading" className={settings.heading}>
        Your data
      </h2>
      <p className={settings.note}>
        Download a zip of your account, profile, preferences, pictures and projects, including
        projects in the trash. Drafts are stored only on the device where you made them.
      </p>
      <div className={settings.buttons}>
        <Button busy={busy} onClick={exportData}>
          Export my data
        </Button>
      </div>
      {trouble && <ErrorNotice code={trouble.code} details={trouble.details} />}
    </section>
  );
}
