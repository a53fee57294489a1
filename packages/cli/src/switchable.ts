/** What can be switched on and off. In a file of its own, so that `--help` loads no command. */
export const switchable = ['bot', 'strategy', 'webhook', 'bot-webhook'] as const
