import type {
  RecordedBody,
  RequestDetails,
  NetworkRequest,
  SourceLocation,
} from '@vitrine/sandbox/host';
import X from 'lucide-react/icons/x';
import { useEffect, useState, type ReactNode } from 'react';
import { formatSize } from '../../ui/format-size.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { requestSourceLabels } from './network-list.tsx';
import { formatStatus, formatDuration, type NetworkMonitor } from './network-monitor.ts';
import styles from './network-details.module.css';
import { SourceLink } from '../problems/source-link.tsx';

interface NetworkDetailsProps {
  network: NetworkMonitor;
  onGoTo: (location: SourceLocation) => void;
  request: NetworkRequest;
  onClose: () => void;
}

/**
 * Details of a request. Headers and bodies are fetched from the page when the details are opened.
 */
export function NetworkDetails({ network, request, onGoTo, onClose }: NetworkDetailsProps) {
  const { address, method, from, duration, size, startedBy, hasDetails } = request;
  const details = useDetails(network, request);
  return (
    <section aria-label="Request" className={styles.details}>
      <div className={styles.head}>
        <h2 className={styles.title}>{address}</h2>
        <IconButton label="Close request" size="small" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </div>
      <dl className={styles.facts}>
        <Fact name="Method">{method || 'Unknown'}</Fact>
        <Fact name="Status">{formatStatus(request)}</Fact>
        <Fact name="Source">{requestSourceLabels[from]}</Fact>
        <Fact name="Size">{size === null ? '–' : formatSize(size)}</Fact>
        <Fact name="Time">{formatDuration(duration)}</Fact>
        {startedBy.path !== '' && (
          <Fact name="Initiator">
            <SourceLink location={startedBy} onGoTo={onGoTo} />
          </Fact>
        )}
      </dl>
      {hasDetails ? (
        details && <Exchange details={details} />
      ) : (
        <p className={styles.note}>
          Headers and bodies are only available for fetch and XHR requests.
        </p>
      )}
    </section>
  );
}

function useDetails(network: NetworkMonitor, { id, hasDetails }: NetworkRequest) {
  const [details, setDetails] = useState<RequestDetails>();
  useEffect(() => {
    if (!hasDetails) return;
    let isCurrent = true;
    const fetchDetails = async () => {
      const found = await network.findDetails(id);
      if (isCurrent) setDetails(found);
    };
    void fetchDetails();
    return () => {
      isCurrent = false;
    };
  }, [network, id, hasDetails]);
  return details;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Exchange({ details }: { details: RequestDetails }) {
  return (
    <>
      <HeaderList title="Request headers" headers={details.requestHeaders} />
      <Body title="Request body" body={details.requestBody} />
      <HeaderList title="Response headers" headers={details.responseHeaders} />
      <Body title="Response" body={details.responseBody} />
    </>
  );
}

interface HeaderListProps {
  title: string;
  headers: RequestDetails['requestHeaders'];
}

function HeaderList({ title, headers }: HeaderListProps) {
  if (headers.length === 0) return null;
  return (
    <>
      <h3 className={styles.part}>{title}</h3>
      <dl className={styles.facts}>
        {headers.map(([name, value], index) => (
          // A header may be repeated, and the list never changes.
          <Fact key={index} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
    </>
  );
}

function Body({ title, body }: { title: string; body: RecordedBody | null }) {
  if (!body) return null;
  return (
    <>
      <h3 className={styles.part}>{title}</h3>
      {body.text !== '' && <pre className={styles.body}>{body.text}</pre>}
      {body.note !== '' && <p className={styles.note}>{body.note}</p>}
    </>
  );
}
