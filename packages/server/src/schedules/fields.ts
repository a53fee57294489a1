import { Type } from 'typebox'

const intervals =
  '`10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, a cron expression of five fields'

/** The settings of a schedule. `checkSchedule` checks their content. */
export const scheduleFields = {
  cron_interval: Type.String({
    maxLength: 255,
    description: `When it runs: ${intervals}, or \`TICK\` for each price of \`price_symbol\`, at most once per second. Default \`1M\`.`,
  }),
  timezone: Type.String({
    maxLength: 100,
    description: 'The IANA time zone of the cron expression. Default `UTC`.',
  }),
}

/** The settings of a schedule that no price can trigger. */
export const clockFields = {
  ...scheduleFields,
  cron_interval: Type.String({
    maxLength: 255,
    description: `When it runs: ${intervals.replace(', a cron', ', or a cron')}. Default \`1H\`.`,
  }),
}
