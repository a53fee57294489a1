import type { ApprovalInList } from '@tickwright/client'
import type { Target } from '../../data/targets.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { Action } from '../../parts/Marks.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './approvals.module.css'
import { ChangeTitle, FollowersOf } from './ChangeOnCard.tsx'
import { TargetBots } from './Target.tsx'

/** Asks once more before money moves, and names bots, mode, symbol and size. */
export function ConfirmDialog({
  approval,
  target,
  onConfirm,
  onClose,
}: {
  approval: ApprovalInList
  target: Target
  onConfirm: () => void
  onClose: () => void
}) {
  return (
    <Dialog title="Approve with real money" onClose={onClose}>
      {approval.change === null ? (
        <>
          <p className={styles.what}>
            <Action action={approval.action} /> <Foreign text={approval.symbols.join(', ') || 'no symbol'} />
          </p>
          <TargetBots approval={approval} target={target} />
          <p>
            The service sends the action of <Foreign text={approval.strategy_name || 'the strategy'} /> at
            once. Your bots then send orders to their exchanges.
          </p>
        </>
      ) : (
        <>
          <ChangeTitle change={approval.change} />
          <FollowersOf target={target} />
          <p>The change applies from the next run on. These bots then follow what it does.</p>
        </>
      )}
      <Buttons>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" onClick={onConfirm}>
          Approve
        </Button>
      </Buttons>
    </Dialog>
  )
}
