import { ApiError, ConnectionError } from '@tickwright/client'
import { Button } from '../../parts/Button.tsx'
import { Empty, Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Page, Section } from '../../parts/Page.tsx'
import { Receipt } from '../../parts/Receipt.tsx'
import { Waterfall } from '../../parts/Waterfall.tsx'
import type { Step } from '../../parts/waterfall.ts'
import { moment } from './moment.ts'
import { type Exhibit, hostile } from './sample.tsx'

const refusal = (status: number, code: string, message: string) =>
  new ApiError({ status, code, message, details: [], requestId: '00000000-0000-4000-8000-000000000001' })

const failures = {
  'a refusal': refusal(409, 'bot_holds_position', 'Bot 7 holds a position.'),
  'too many requests': refusal(429, 'rate_limited', 'Too many requests.'),
  'the database is away': refusal(503, 'unavailable', 'The database cannot be reached.'),
  'a proxy answers': refusal(502, 'unknown', 'Bad gateway'),
  'no answer': new ConnectionError('The service does not answer.'),
  'an error of the page': new TypeError('x is undefined'),
}

const step = (
  kind: string,
  offset: number | null,
  took: number | null,
  text: string,
  reason?: string,
): Step => ({
  at: new Date(moment + (offset ?? 0)).toISOString(),
  offset_ms: offset,
  run_ms: null,
  took_ms: took,
  kind,
  text,
  reason: reason ?? null,
  is_usual: reason === undefined,
})

const steps: readonly Step[] = [
  step('received', 0, 0.8, 'A payload of 14 bytes arrived.'),
  step('stored', 2.1, 1.3, 'The service stored it.'),
  step('queued', 2.2, 0.6, 'A run waits for its turn.'),
  step('started', 2.8, null, 'The run started.'),
  step('call', 3.1, 182, '$.Http.get("https://example.com")'),
  step('log', 186, null, hostile),
  step('signal', 190, 0.9, 'LONG BTC/USDT'),
  step('order', 192, 12, 'Buy 0.015 BTC/USDT'),
  step('fill', 204, null, '0.015 at 104,231.5 USDT'),
  step('missing', null, null, 'Bot 8 did nothing.', 'The bot is switched off.'),
]

export const notices: readonly Exhibit[] = [
  {
    name: 'Notice',
    samples: [
      { name: 'to know', content: <Notice>One close is under way.</Notice> },
      {
        name: 'a warning with a button',
        content: (
          <Notice tone="warning" action={<Button>Resume</Button>}>
            The strategy is suspended until tomorrow.
          </Notice>
        ),
      },
      { name: 'a failure', content: <Notice tone="loss">The order was refused.</Notice> },
    ],
  },
  {
    name: 'Failure',
    samples: [
      ...Object.entries(failures).map(([name, error]) => ({ name, content: <Failure error={error} /> })),
      {
        name: 'of a change, to be tried again',
        content: <Failure error={failures['no answer']} isChange onRetry={() => {}} />,
      },
    ],
  },
  {
    name: 'Empty',
    samples: [
      {
        name: 'with what fills it',
        content: (
          <Empty title="No bot yet" action={<Button look="primary">New bot</Button>}>
            A bot follows the signals of a bot webhook with orders, on paper or live.
          </Empty>
        ),
      },
      { name: 'only a title', content: <Empty title="There is no such page" /> },
    ],
  },
  { name: 'Skeleton', samples: [{ name: 'four lines', content: <Skeleton lines={4} /> }] },
  {
    name: 'Page',
    samples: [
      {
        name: 'with everything',
        content: (
          <Page
            title="Follower"
            tabTitle="Gallery"
            parent="Bots"
            actions={<Button look="danger">Close all</Button>}
            filters={<Button>Any outcome</Button>}
          >
            <Section title="Positions" actions={<Button look="quiet">Export</Button>}>
              <p>The bot holds nothing.</p>
            </Section>
            <Section title="Orders">
              <p>No order yet.</p>
            </Section>
          </Page>
        ),
      },
    ],
  },
  { name: 'Waterfall', samples: [{ name: 'from payload to fill', content: <Waterfall steps={steps} /> }] },
  {
    name: 'Receipt',
    samples: [
      {
        name: 'something did not happen',
        content: (
          <Receipt
            outcome={{
              status: 'SUCCEEDED',
              text: 'One bot followed the signal.',
              reasons: ['Bot 8 did nothing: it is switched off.', hostile],
              is_usual: false,
            }}
            steps={steps.slice(0, 4)}
          />
        ),
      },
      {
        name: 'all went well',
        content: (
          <Receipt
            outcome={{ status: 'SUCCEEDED', text: 'The run has ended.', reasons: [], is_usual: true }}
            steps={steps.slice(0, 2)}
          />
        ),
      },
    ],
  },
]
