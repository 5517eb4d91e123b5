import { useState } from 'react';
import type { Viewer } from '../../session/viewer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { SignInMethods } from './account-details.ts';
import { DeleteAccountForm } from './delete-account-form.tsx';
import { CancelDeletionButton } from './cancel-deletion-button.tsx';
import { formatDeletionDate } from './format-deletion-date.ts';
import settingsStyles from './settings.module.css';

interface DeleteSectionProps {
  viewer: Viewer;
  methods: SignInMethods;
}

/** Settings section to request the account's deletion, or to cancel it until its due date. */
export function DeleteSection({ viewer, methods }: DeleteSectionProps) {
  const [isDialogOpen, setDialogOpen] = useState(false);
  return (
    <section className={settingsStyles.section} aria-labelledby="delete-heading">
      <h2 id="delete-heading" className={settingsStyles.heading}>
        Delete account
      </h2>
      {viewer.deletionDueAt === null ? (
        <>
          <p className={settingsStyles.note}>
            Your account and everything in it will be deleted 14 days after you request it. To keep
            it, sign in before then and choose “Keep my account”. Other people’s forks of your
            projects are kept.
          </p>
          <div className={settingsStyles.buttons}>
            <Button variant="danger" onClick={() => setDialogOpen(true)}>
              Delete account…
            </Button>
          </div>
        </>
      ) : (
        <>
          <p className={settingsStyles.note}>
            Your account and everything in it will be deleted on{' '}
            {formatDeletionDate(viewer.deletionDueAt)}.
          </p>
          <div className={settingsStyles.buttons}>
            <CancelDeletionButton viewer={viewer} />
          </div>
        </>
      )}
      <Dialog
        open={isDialogOpen}
        onClose={() => setDialogOpen(false)}
        title="Delete your account?"
        width="narrow"
        description="You’ll be signed out everywhere and get a confirmation email. After 14 days, this can’t be undone."
      >
        <DeleteAccountForm
          email={viewer.email}
          methods={methods}
          onCancel={() => setDialogOpen(false)}
        />
      </Dialog>
    </section>
  );
}
