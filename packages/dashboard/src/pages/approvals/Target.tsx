import type { ApprovalInList } from '@tickwright/client'
import type { Target } from '../../data/targets.ts'
import { signalEntryInShort } from '../../parts/entry/words.ts'
import { Mode } from '../../parts/Marks.tsx'
import { settingsInShort } from '../../parts/protection/words.ts'
import { Foreign, Value } from '../../parts/Values.tsx'
import styles from './approvals.module.css'
import { chosenSize, type Size, sizeFor } from './orders.ts'

/** A card has room for so many bots. The dialog shows all of them. */
const shownOnCard = 4

/** What each bot would do if the action was sent now. */
export function TargetBots({
  approval,
  target: { bots, hasOthers, hasWebhook },
  isShort = false,
}: {
  approval: ApprovalInList
  target: Target
  isShort?: boolean
}) {
  const shown = isShort ? bots.slice(0, shownOnCard) : bots
  return (
    <div className={styles.bots}>
      {shown.length > 0 && (
        <ul>
          {shown.map((bot) => (
            <li key={bot.id}>
              <Mode mode={bot.mode} demo={bot.demo} />
              <span className={styles.bot}>
                <Foreign text={bot.name || `Bot ${bot.id}`} />
                {bot.symbol !== null && (
                  <span className={styles.soft}>
                    {' '}
                    only <Foreign text={bot.symbol} />
                  </span>
                )}
              </span>
              <SizeText size={sizeFor(approval, bot)} />
            </li>
          ))}
        </ul>
      )}
      {bots.length > shown.length && (
        <p className={styles.soft}>and {bots.length - shown.length} more bots</p>
      )}
      <Entering approval={approval} />
      <Protecting approval={approval} />
      {bots.length === 0 && <NoBots approval={approval} hasWebhook={hasWebhook} hasOthers={hasOthers} />}
      {hasOthers && (
        <p className={styles.risk}>
          Another user shares this bot webhook with you. Bots of others may follow it too, also with money.
        </p>
      )}
    </div>
  )
}

/** How the model wants to enter the position. */
function Entering({ approval: { options } }: { approval: ApprovalInList }) {
  if (options.entry == null) return null
  return (
    <p className={styles.soft}>
      The bot enters {signalEntryInShort(options.entry)}, instead of what it says about that.
    </p>
  )
}

/** What the model wants the position to be protected by. A bot keeps its own fields that the action does not name. */
function Protecting({ approval: { options } }: { approval: ApprovalInList }) {
  if (options.protection === undefined) return null
  return (
    <p className={styles.soft}>
      The position opens with {settingsInShort(options.protection)}, instead of what its bot says about that.
    </p>
  )
}

function NoBots({
  approval,
  hasWebhook,
  hasOthers,
}: {
  approval: ApprovalInList
  hasWebhook: boolean
  hasOthers: boolean
}) {
  const size = chosenSize(approval)
  return (
    <p className={styles.soft}>
      {hasWebhook
        ? `None of your bots follows ${hasOthers ? 'it' : 'the reaction'} now.`
        : 'The reaction sends to no bot webhook: the service only records the signal.'}{' '}
      {size !== null && (
        <>
          Size: <SizeText size={size} />
        </>
      )}
    </p>
  )
}

function SizeText({ size }: { size: Size }) {
  return 'words' in size ? <span>{size.words}</span> : <Value value={size.value} unit={size.unit} />
}
