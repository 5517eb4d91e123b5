import type { AccessibilityReport } from '@vitrine/sandbox/host';
import { createBadge, type RenderTab } from '../layout/badge.ts';
import type { PreviewController } from '../preview/preview-controller.ts';
import { useStore } from '../value-store.ts';

interface IssueBadgeProps {
  preview: PreviewController;
  children: RenderTab;
}

/** Number of elements with an issue. */
export function IssueBadge({ preview, children }: IssueBadgeProps) {
  const report = useStore(preview.accessibility);
  return children(createBadge(countIssues(report), 'issue'));
}

function countIssues(report: AccessibilityReport): number {
  const found = report.status === 'checked' ? report.findings : [];
  return found.reduce((sum, { elements, more }) => sum + elements.length + more, 0);
}
