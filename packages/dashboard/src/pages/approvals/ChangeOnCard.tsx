import { Link } from '@tanstack/react-router'
import type { Approval } from '@tickwright/client'
import { type Change, changeWords } from '../../data/changes.ts'
import { strategyPath } from '../../data/paths.ts'
import type { Target } from '../../data/targets.ts'
import { Mode } from '../../parts/Marks.tsx'
import { Notice, Skeleton } from '../../parts/Notice.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { Diff } from '../strategies/Diff.tsx'
import styles from './approvals.module.css'

type WholeChange = NonNullable<Approval['change']>

/** What would change, and of which strategy. */
export function ChangeTitle({ change }: { change: Change }) {
  const { strategy_id, strategy_name, strategy_type } = change
  return (
    <p className={styles.what}>
      {changeWords(change)}{' '}
      <Link to={strategyPath(strategy_type, strategy_id)}>
        <Foreign text={strategy_name || `Strategy ${strategy_id}`} />
      </Link>
    </p>
  )
}

/**
 * All of a change: the code line by line, from the version that the model knew.
 * @param isWaiting whether somebody can still approve it
 */
export function ChangeBody({ change, isWaiting }: { change: WholeChange | undefined; isWaiting: boolean }) {
  if (change === undefined) return <Skeleton lines={3} />
  return (
    <>
      {isWaiting && change.outdated && (
        <Notice tone="warning">
          The strategy was saved since the model knew it, in version {change.version}. This change can no
          longer be made: reject it, or let the model ask again.
        </Notice>
      )}
      {change.diff !== null && (
        <div className={styles.change}>
          <p className={styles.soft}>What would differ from version {change.version}:</p>
          <Diff comparison={{ ...change.diff, settings: [] }} />
        </div>
      )}
    </>
  )
}

/** The bots that follow the strategy that would change. */
export function FollowersOf({ target: { bots, hasOthers } }: { target: Target }) {
  return (
    <div className={styles.bots}>
      {bots.length > 0 && (
        <ul aria-label="Bots that follow it">
          {bots.map(({ id, name, mode, demo }) => (
            <li key={id}>
              <Mode mode={mode} demo={demo} />
              <span className={styles.bot}>
                <Foreign text={name || `Bot ${id}`} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {bots.length === 0 && <p className={styles.soft}>None of your bots follows it now.</p>}
      {hasOthers && (
        <p className={styles.risk}>
          Another user shares its bot webhook with you. Bots of others may follow it too, also with money.
        </p>
      )}
    </div>
  )
}
