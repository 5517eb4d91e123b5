import { ruleLimits, type NetworkRule, type RuleEffect } from '@vitrine/sandbox/network-rules';
import Pencil from 'lucide-react/icons/pencil';
import Trash2 from 'lucide-react/icons/trash-2';
import { useRef, useState, type ReactNode, type RefObject } from 'react';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Select } from '../../ui/select.tsx';
import { completePattern, formatRule, type SwitchableRule } from './network-monitor.ts';
import styles from './network-rules.module.css';
import type { PreviewController } from '../preview/preview-controller.ts';
import { useStore } from '../value-store.ts';

/** Form state of a rule. */
interface RuleDraft {
  /** Id of the edited rule. Null for a new one. */
  readonly id: number | null;
  readonly pattern: string;
  readonly kind: EffectKind;
  readonly number: string;
}

type EffectKind = RuleEffect['kind'];

const effects = [
  { value: 'wait', label: 'Delay' },
  { value: 'fail', label: 'Fail' },
  { value: 'status', label: 'Respond with' },
] as const;

const numberFields: Readonly<
  Record<Exclude<EffectKind, 'fail'>, { label: string; least: number; most: number; start: string }>
> = {
  wait: { label: 'Delay in milliseconds', least: 0, most: ruleLimits.waitMs, start: '1000' },
  status: { label: 'Status code', least: 200, most: 599, start: '500' },
};

const empty: RuleDraft = { id: null, pattern: '', kind: 'wait', number: numberFields.wait.start };

/** Network rules, which delay or fail requests, each with a checkbox. */
export function NetworkRules({ preview }: { preview: PreviewController }) {
  const { network } = preview;
  const rules = useStore(network.rules);
  const isSrcdoc = useStore(preview.limitations) !== null;
  const [draft, setDraft] = useState(empty);
  const field = useRef<HTMLInputElement>(null);

  function edit(rule: RuleDraft): void {
    setDraft(rule);
    field.current?.focus();
  }
  function submit(rule: NetworkRule): void {
    if (draft.id === null) network.addRule(rule);
    else network.changeRule(draft.id, rule);
    edit({ ...draft, id: null, pattern: '' });
  }
  function remove(id: number): void {
    network.removeRule(id);
    edit(id === draft.id ? empty : draft);
  }
  function removeAll(): void {
    network.clearRules();
    edit(empty);
  }

  return (
    <section aria-label="Network rules" className={styles.rules}>
      {rules.length > 0 && (
        <ul className={styles.list}>
          {rules.map((rule) => (
            <li key={rule.id} className={styles.rule}>
              <label className={styles.switch}>
                <input
                  type="checkbox"
                  checked={rule.isOn}
                  onChange={({ target }) => network.switchRule(rule.id, target.checked)}
                />
                {formatRule(rule)}
              </label>
              <IconButton
                label={`Edit ${formatRule(rule)}`}
                size="small"
                onClick={() => edit(toDraft(rule))}
              >
                <Pencil aria-hidden />
              </IconButton>
              <IconButton
                label={`Delete ${formatRule(rule)}`}
                size="small"
                onClick={() => remove(rule.id)}
              >
                <Trash2 aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <RuleForm
        draft={draft}
        field={field}
        isFull={rules.length >= ruleLimits.rules}
        onChange={setDraft}
        onSubmit={submit}
      >
        {draft.id !== null ? (
          <Button size="small" variant="quiet" onClick={() => edit(empty)}>
            Cancel
          </Button>
        ) : (
          rules.length > 0 && (
            <Button size="small" variant="quiet" onClick={removeAll}>
              Delete all rules
            </Button>
          )
        )}
      </RuleForm>
      <p className={styles.coverage}>{coverageText(isSrcdoc)}</p>
    </section>
  );
}

function coverageText(isSrcdoc: boolean): string {
  return isSrcdoc
    ? 'In this browser, rules apply only to fetch and XHR requests.'
    : 'Rules apply to files in this project and to fetch and XHR requests, but not to the page itself.';
}

interface RuleFormProps {
  draft: RuleDraft;
  field: RefObject<HTMLInputElement | null>;
  /** The maximum number of rules is reached. */
  isFull: boolean;
  onChange: (draft: RuleDraft) => void;
  onSubmit: (rule: NetworkRule) => void;
  children: ReactNode;
}

function RuleForm({ draft, field, isFull, onChange, onSubmit, children }: RuleFormProps) {
  const isNew = draft.id === null;
  const bounds = draft.kind === 'fail' ? undefined : numberFields[draft.kind];
  const rule = parseRule(draft);
  const isValid = rule !== undefined && !(isNew && isFull);

  function setKind(kind: EffectKind): void {
    onChange({ ...draft, kind, ...(kind !== 'fail' && { number: numberFields[kind].start }) });
  }

  return (
    <form
      aria-label={isNew ? 'New rule' : 'Edit rule'}
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) onSubmit(rule);
      }}
    >
      <input
        ref={field}
        type="text"
        aria-label="Path or URL"
        placeholder="/data/*.json"
        className={`${styles.field} ${styles.pattern}`}
        value={draft.pattern}
        maxLength={ruleLimits.pattern}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange({ ...draft, pattern: target.value })}
      />
      <Select
        label="Effect"
        labelHidden
        size="small"
        value={draft.kind}
        options={effects}
        onChange={setKind}
      />
      {bounds && (
        <input
          type="number"
          aria-label={bounds.label}
          min={bounds.least}
          max={bounds.most}
          className={styles.field}
          value={draft.number}
          onChange={({ target }) => onChange({ ...draft, number: target.value })}
        />
      )}
      <Button type="submit" size="small" disabled={!isValid}>
        {isNew ? 'Add rule' : 'Save rule'}
      </Button>
      {children}
    </form>
  );
}

function toDraft({ id, pattern, effect }: SwitchableRule): RuleDraft {
  const { kind } = effect;
  if (kind === 'fail') return { ...empty, id, pattern, kind };
  return { id, pattern, kind, number: String(kind === 'wait' ? effect.ms : effect.status) };
}

/** Undefined while the form is incomplete or a value is out of range. */
function parseRule({ pattern: typed, kind, number: digits }: RuleDraft): NetworkRule | undefined {
  const pattern = completePattern(typed);
  const effect = parseEffect(kind, Number(digits));
  return effect && /^\S+$/.test(pattern) ? { pattern, effect } : undefined;
}

function parseEffect(kind: EffectKind, number: number): RuleEffect | undefined {
  if (kind === 'fail') return { kind };
  const { least, most } = numberFields[kind];
  if (!Number.isInteger(number) || number < least || number > most) return undefined;
  return kind === 'wait' ? { kind, ms: number } : { kind, status: number };
}
