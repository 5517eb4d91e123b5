import type { Provider } from '@supabase/supabase-js';

/** Display names that aren't just the provider's id with a capital letter. */
const names: Readonly<Record<string, string>> = {
  azure: 'Microsoft',
  github: 'GitHub',
  gitlab: 'GitLab',
  linkedin_oidc: 'LinkedIn',
  slack_oidc: 'Slack',
};

/** 'github' → 'GitHub', 'custom:our-school' → 'Our school'. */
export function getProviderName(provider: string): string {
  const id = provider.replace(/^custom:/, '').replaceAll(/[-_]/g, ' ');
  return names[provider] ?? id.charAt(0).toUpperCase() + id.slice(1);
}

/**
 * Narrows a provider id to the auth client's type, which lists only the providers of hosted
 * Supabase; the backend's own settings decide which ones exist.
 */
export function isProvider(name: string): name is Provider {
  return name !== 'email' && name !== '';
}
