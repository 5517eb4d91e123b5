import { describeError } from '@vitrine/project';
import { retryLoadingNow } from '@vitrine/project/retry-loading';
import { startTransition, StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { HydratedRouter } from 'react-router/dom';
import { pageOutdatedEvent } from './import-code.ts';
import { allowBuiltWorkers } from './trusted-types.ts';
import { showToast } from './ui/toast.tsx';

allowBuiltWorkers();

addEventListener('online', retryLoadingNow);
addEventListener(pageOutdatedEvent, () => {
  const { code, message, action } = describeError('page_outdated');
  const reload = { label: 'Reload', run: () => location.reload() };
  showToast({ id: code, title: message, description: action, timeoutMs: 0, action: reload });
});

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter />
    </StrictMode>,
  );
});
