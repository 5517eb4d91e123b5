import type { ErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { useClient } from '../session/use-client.ts';
import { Button } from '../ui/button.tsx';
import { download } from '../ui/download.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { callFunction } from './call-function.ts';
import settings from './settings.module.css';

/** Everything of a person as a file that they keep. */
export function ExportSection() {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<ErrorCode>();

  const save = async () => {
    setBusy(true);
    const answer = await callFunction(await client(), 'export-data', 'export_failed');
    setBusy(false);
    const isWhole = answer.code === undefined && answer.data instanceof Blob;
    setRefused(isWhole ? undefined : (answer.code ?? 'export_failed'));
    if (isWhole && answer.data instanceof Blob) download(answer.data, 'vitrine-data.zip');
  };

  return (
    <section className={settings.section} aria-labelledby="export-heading">
      <h2 id="export-heading" className={settings.heading}>
        Your data
      </h2>
      <p className={settings.note}>
        A zip with your account, profile, preferences and pictures, and all your projects with their
        files as they are, also those in the trash. Drafts are on their device alone.
      </p>
      <div className={settings.buttons}>
        <Button size="small" busy={busy} onClick={save}>
          Export my data
        </Button>
      </div>
      {refused && <ErrorNotice code={refused} />}
    </section>
  );
}
