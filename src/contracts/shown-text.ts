// Texts of people on GitHub, as a session holds them.
import type { ShownImage } from './image.ts';

/** What people see of a text on GitHub, as it was when it was judged. */
export interface ShownText {
  /** Markdown without anything that GitHub hides. */
  readonly body: string;
  /** Words of the source that people do not see, in short; missing if there are none. */
  readonly hidden?: string;
  /** The images in it, in their order: the first fifty. Missing if there are none. */
  readonly images?: readonly ShownImage[];
}

/** A comment of a review on a line, on several, or on a whole file. */
export interface LineComment extends ShownText {
  readonly path: string;
  /** The last line, as the pull request is now or, if that is gone, as it was; `null` for a whole file. */
  readonly line: number | null;
  /** Missing in journals written before there were threads. */
  readonly thread?: CommentThread;
}

/** Lines to replace those of the comment with, each with its line break; or why it is not known which. */
export type Suggestion = { readonly lines: string } | { readonly unclear: 'several' | 'hidden' };

/** It praises or approves, or is said to someone else or another bot: there is nothing to work on. */
export type AsksNothing = 'praise' | 'for_others';

/** What a remark in a review is: work starts a run and gets a reply, praise on a line gets a 👍. */
export type ReviewWork = 'nothing' | 'praise' | 'work';

/** Where a line comment is, and what was said there before it. */
export interface CommentThread {
  /** The id of this comment, and of the first one of its thread. */
  readonly comment: number;
  readonly root: number;
  /** The first of several lines. */
  readonly firstLine?: number;
  readonly side: 'old' | 'new';
  /** The end of the part of the diff that it is on. */
  readonly hunk: string;
  readonly isResolved: boolean;
  /** The lines were changed since. */
  readonly isOutdated: boolean;
  readonly suggestion?: Suggestion;
  /** Missing if it asks for something. */
  readonly asksNothing?: AsksNothing;
  /** Oldest first; `author` is missing if this App wrote it. */
  readonly earlier: readonly (ShownText & { readonly author?: string })[];
  /** How many of them are left out: too many, or by people who may not request work. */
  readonly leftOut: number;
}

/** Who wrote a text, and whether they could have requested work. */
export interface TextAuthor {
  readonly login: string;
  readonly mayRequest: boolean;
}

/** The issue that the one which is worked on is a sub-issue of: background. */
export interface ParentIssue extends ShownText {
  readonly number: number;
  readonly title: string;
  readonly by: TextAuthor;
  /** Its other sub-issues, in their order. */
  readonly others: readonly SubIssue[];
  /** How many of them are left out: too many, or in another repository. */
  readonly leftOut: number;
}

export interface SubIssue {
  readonly number: number;
  readonly title: string;
  readonly isOpen: boolean;
}

/** The text of an issue, as a session works on it. */
export interface ShownIssue extends ShownText {
  readonly title: string;
  /** Missing if whoever requested the work wrote it, and in journals from before it was noted. */
  readonly by?: TextAuthor;
  /** By its name; missing if it has none. */
  readonly type?: string;
  /** What the organization's own fields say of it; missing if nothing. */
  readonly fields?: readonly IssueField[];
  /** Missing if it has none in this repository. */
  readonly parent?: ParentIssue;
  /** Digest of the title and the source of the text: says whether it has changed. */
  readonly digest: string;
}

export interface IssueField {
  readonly name: string;
  readonly value: string;
}

/** A comment that was there when work began, by a person who may request work too, or by the author of the issue. */
export interface EarlierComment extends ShownText {
  readonly id: number;
  readonly author: string;
  /** Its author cannot request work. */
  readonly isBackground?: true;
}

/** What the author of the issue or pull request said there, who cannot request work. */
export interface BackgroundComment extends ShownText {
  readonly author: string;
  readonly on: 'issue' | 'pull_request';
}
