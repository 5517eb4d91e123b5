import type { Impact, LocatedElement, LocatedIssue } from '@vitrine/sandbox/host';
import CircleX from 'lucide-react/icons/circle-x';
import Info from 'lucide-react/icons/info';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useEffect } from 'react';
import { describeFinding, impactOrder, impactLabels } from './accessibility-messages.ts';
import styles from './accessibility-view.module.css';
import { formatLocation } from '../problems/source-location.ts';
import type { PreviewController } from '../preview/preview-controller.ts';
import { handleRowKey } from '../../ui/lists/row-keys.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import { useStore } from '../value-store.ts';

interface AccessibilityViewProps {
  preview: PreviewController;
  openFiles: OpenFiles;
}

/** Accessibility tab. Checks run while it is visible. */
export default function AccessibilityView({ preview, openFiles }: AccessibilityViewProps) {
  const report = useStore(preview.accessibility);
  useEffect(() => {
    preview.setAccessibilityChecks(true);
    return () => {
      preview.outline(null);
      preview.setAccessibilityChecks(false);
    };
  }, [preview]);

  switch (report.status) {
    case 'failed':
      return <p className={styles.note}>{report.message}</p>;
    case 'checked':
      return (
        <Findings {...{ preview, openFiles }} checks={report.checks} findings={report.findings} />
      );
    case 'checking':
      return report.previous ? (
        <Findings {...{ preview, openFiles }} {...report.previous} />
      ) : (
        <p className={styles.note}>Checking the page…</p>
      );
    case 'off':
      return (
        <p className={styles.note}>
          No results yet. Accessibility issues show up here once the page runs.
        </p>
      );
  }
}

interface FindingsProps extends AccessibilityViewProps {
  checks: number;
  findings: readonly LocatedIssue[];
}

function Findings({ checks, findings, ...owners }: FindingsProps) {
  if (findings.length === 0) {
    return (
      <p className={styles.note}>
        No issues found ({checks} checks). Automated checks catch about a third of issues, so also
        try the page with a keyboard and a screen reader.
      </p>
    );
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys move between its buttons
    <div className={styles.view} onKeyDown={handleRowKey}>
      {impactOrder.map((impact) => (
        <Group
          {...owners}
          key={impact}
          impact={impact}
          findings={findings.filter((finding) => finding.impact === impact)}
        />
      ))}
    </div>
  );
}

interface GroupProps extends AccessibilityViewProps {
  impact: Impact;
  findings: readonly LocatedIssue[];
}

function Group({ impact, findings, ...owners }: GroupProps) {
  if (findings.length === 0) return null;
  return (
    <section aria-label={impactLabels[impact]}>
      <h2 className={styles.impact}>
        <ImpactIcon impact={impact} />
        {impactLabels[impact]}
      </h2>
      <ul className={styles.findings}>
        {findings.map((finding) => (
          <li key={finding.rule} className={styles.finding}>
            <p className={styles.message}>{describeFinding(finding)}</p>
            <Elements {...owners} finding={finding} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ImpactIcon({ impact }: { impact: Impact }) {
  if (impact === 'critical' || impact === 'serious')
    return <CircleX aria-hidden className={styles.error} />;
  if (impact === 'moderate') return <TriangleAlert aria-hidden className={styles.warning} />;
  return <Info aria-hidden className={styles.notice} />;
}

interface ElementsProps extends AccessibilityViewProps {
  finding: LocatedIssue;
}

function Elements({ finding, ...owners }: ElementsProps) {
  return (
    <ul aria-label="Elements">
      {finding.elements.map((element) => (
        <li key={element.id}>
          <Element {...owners} element={element} />
        </li>
      ))}
      {finding.more > 0 && <li className={styles.more}>… and {finding.more} more</li>}
    </ul>
  );
}

interface ElementProps extends AccessibilityViewProps {
  element: LocatedElement;
}

function Element({ preview, openFiles, element }: ElementProps) {
  const location = formatLocation(element);
  return (
    <button
      type="button"
      data-row
      aria-disabled={location === '' || undefined}
      className={styles.element}
      {...outlineHandlers(preview, element)}
      onClick={() => location !== '' && openFiles.goTo(element)}
    >
      <code className={styles.markup}>{element.markup}</code>
      <span className={styles.location}>{location}</span>
    </button>
  );
}

/** Outlines an element in the page while its row is hovered or focused. */
function outlineHandlers(result: PreviewController, { id }: LocatedElement) {
  const show = () => result.outline(id);
  const hide = () => result.outline(null);
  return { onPointerEnter: show, onPointerLeave: hide, onFocus: show, onBlur: hide };
}
