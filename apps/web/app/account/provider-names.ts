import type { Provider } from '@supabase/supabase-js';

/** Those whose name is not their word with a capital letter. */
const names: Readonly<Record<string, string>> = {
  azure: 'Microsoft',
  github: 'GitHub',
  gitlab: 'GitLab',
  linkedin_oidc: 'LinkedIn',
  slack_oidc: 'Slack',
};

/** 'github' → 'GitHub', 'custom:our-school' → 'Our school'. */
export function nameProvider(provider: string): string {
  const word = provider.replace(/^custom:/, '').replaceAll(/[-_]/g, ' ');
  return names[provider] ?? word.charAt(0).toUpperCase() + word.slice(1);
}

/** The client's type lists what a hosted project offers; the backend itself says what it has. */
export function isProvider(name: string): name is Provider {
  return name !== 'email' && name !== '';
}
