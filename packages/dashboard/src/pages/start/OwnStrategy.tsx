import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { plainText } from '../../base/text.ts'
import { strategyPath } from '../../data/paths.ts'
import { useQuery } from '../../data/use-query.ts'
import { classes } from '../../parts/classes.ts'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { type OwnSteps, ownSteps, ownStrategy } from './own-steps.ts'
import { botsQuery, signalsQuery, strategiesQuery } from './queries.ts'
import styles from './start.module.css'

/** Three steps to a strategy of one's own on a paper bot. The service says which are done. */
export function OwnStrategy() {
  const strategies = useQuery(strategiesQuery)
  const bots = useQuery(botsQuery)
  const strategy = ownStrategy(strategies.data ?? [], bots.data ?? [])
  const signals = useQuery(signalsQuery(strategy?.id))
  const failed = [strategies, bots, signals].find(({ failureReason }) => failureReason !== null)
  const isRead =
    strategies.data !== undefined &&
    bots.data !== undefined &&
    (strategy === undefined || signals.data !== undefined)
  return (
    <Section title="Your own strategy">
      {failed !== undefined && (
        <Failure
          error={failed.failureReason}
          onRetry={failed.error === null ? undefined : () => void failed.refetch()}
        />
      )}
      {!isRead && failed === undefined && <Skeleton lines={3} />}
      {isRead && <Steps steps={ownSteps(strategy, bots.data ?? [], signals.data ?? [])} />}
    </Section>
  )
}

function Steps({ steps }: { steps: OwnSteps }) {
  const [hasStrategy, hasBot, hasActed] = steps.done
  return (
    <ol className={styles.steps} aria-label="Steps to your own strategy">
      <Step number={1} isDone={hasStrategy} title="Write a strategy or a reaction">
        {hasStrategy ? (
          <p>
            You have <StrategyLink steps={steps} />.
          </p>
        ) : (
          <p>
            A strategy runs on a schedule or on prices, a reaction on payloads. Each begins with code that
            works. <Link to={pages.newStrategy}>Write a strategy</Link>
          </p>
        )}
      </Step>
      <Step number={2} isDone={hasBot} title="Let a paper bot follow it">
        <BotText steps={steps} />
      </Step>
      <Step number={3} isDone={hasActed} title="See it act">
        <ActText steps={steps} />
      </Step>
    </ol>
  )
}

const pages: { newStrategy: string; newBot: string } = { newStrategy: '/strategies/new', newBot: '/bots/new' }

function Step({
  number,
  title,
  isDone,
  children,
}: {
  number: number
  title: string
  isDone: boolean
  children: ReactNode
}) {
  return (
    <li className={classes(styles.step, isDone && styles.isDone)}>
      <span className={styles.number} aria-hidden>
        {isDone ? <Check className={styles.check} /> : number}
      </span>
      <div>
        <h3>
          {title}
          <span className={styles.unseen}>{isDone ? ': done' : ': to do'}</span>
        </h3>
        {children}
      </div>
    </li>
  )
}

function StrategyLink({ steps: { strategy } }: { steps: OwnSteps }) {
  if (strategy === undefined) return null
  return (
    <Link to={strategyPath(strategy.type, strategy.id)}>
      <Foreign text={strategy.name || `Strategy ${strategy.id}`} />
    </Link>
  )
}

function BotLink({ steps: { bot }, tab }: { steps: OwnSteps; tab?: string }) {
  if (bot === undefined) return null
  return (
    <Link to="/bots/$id" params={{ id: String(bot.id) }} search={tab === undefined ? {} : { tab }}>
      <Foreign text={bot.name || `Bot ${bot.id}`} />
    </Link>
  )
}

function BotText({ steps }: { steps: OwnSteps }) {
  if (steps.bot !== undefined)
    return (
      <p>
        <BotLink steps={steps} /> gets its signals.
      </p>
    )
  if (steps.botProblem === 'sends-nothing')
    return (
      <p>
        <StrategyLink steps={steps} /> sends its signals to no bot webhook yet. Choose one in its settings,
        such as the one of the example, whose bot then follows it.
      </p>
    )
  if (steps.botProblem === 'no-bot')
    return (
      <p>
        No paper bot follows the bot webhook of <StrategyLink steps={steps} />.{' '}
        <Link to={pages.newBot}>Create a paper bot</Link>
      </p>
    )
  return (
    <p>
      A paper bot keeps books as if it traded, at current prices. Choose the bot webhook that your strategy
      sends to. <Link to={pages.newBot}>Create a paper bot</Link>
    </p>
  )
}

function ActText({ steps }: { steps: OwnSteps }) {
  const { done, actProblem, reason } = steps
  if (done[2])
    return (
      <p>
        <BotLink steps={steps} tab="signals" /> has followed a signal of <StrategyLink steps={steps} />.
      </p>
    )
  switch (actProblem) {
    case 'strategy-off':
      return (
        <p>
          <StrategyLink steps={steps} /> is off. Switch it on.
        </p>
      )
    case 'suspended':
      return (
        <p>
          <StrategyLink steps={steps} /> is suspended because it broke a rule. Its page says which.
        </p>
      )
    case 'bot-off':
      return (
        <p>
          <BotLink steps={steps} /> is off. Switch it on.
        </p>
      )
    case 'not-followed':
      return (
        <p>
          <StrategyLink steps={steps} /> has sent a signal, and no bot has followed it to its end
          {reason === null ? '.' : `: ${plainText(reason)}`}
        </p>
      )
    case 'no-signal':
      return (
        <p>
          Both are on. <StrategyLink steps={steps} /> has sent no signal yet: <Link to="/runs">its runs</Link>{' '}
          say why.
        </p>
      )
    default:
      return <p>Its first action appears here once a bot has followed it.</p>
  }
}
