"""What Slack's error codes mean for us: what the ledger may conclude, and what mends it. Data, no code of Slack's.

The codes are those that docs.slack.dev lists for the methods we call (August 2026), and those of ``response_url``.
``docs/errors.md`` shows the whole table. The sentences stand in ``bot/cards/trouble.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["retry", "unsure", "permanent"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """``cure`` is a name in ``bot/drill/trouble.py``; ``patience`` the seconds to wait where Slack does not say."""

    outcome: Outcome
    cure: str
    patience: float | None = None


def _words(codes: str) -> tuple[str, ...]:
    return tuple(codes.split())


COMMON = _words(
    """access_denied accesslimited account_inactive deprecated_endpoint ekm_access_denied enterprise_is_restricted
    fatal_error internal_error invalid_arg_name invalid_arguments invalid_array_arg invalid_auth invalid_charset
    invalid_form_data invalid_post_type is_bot method_deprecated missing_post_type missing_scope no_permission
    not_allowed_token_type not_authed org_login_required ratelimited request_timeout service_unavailable
    team_access_not_granted team_added_to_org token_expired token_revoked two_factor_setup_required unknown_method"""
)
"""Codes that any method may answer."""

METHODS: dict[str, tuple[str, ...]] = {
    method: _words(codes)
    for method, codes in {
        "chat.postMessage": """app_access_restricted as_user_not_supported attachment_payload_limit_exceeded
            cannot_reply_to_message channel_not_found draft_already_deleted draft_already_sent draft_has_conflict
            draft_not_found duplicate_channel_not_found duplicate_message_not_found invalid_blocks
            invalid_blocks_format invalid_metadata_format invalid_metadata_schema is_archived markdown_text_conflict
            message_limit_exceeded messages_tab_disabled metadata_must_be_sent_from_app metadata_too_large
            missing_file_data msg_blocks_too_long no_text not_in_channel rate_limited restricted_action
            restricted_action_non_threadable_channel restricted_action_read_only_channel
            restricted_action_thread_locked restricted_action_thread_only_channel send_on_behalf_not_allowed
            slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
            slack_connect_lists_sharing_blocked team_not_found too_many_attachments too_many_contact_cards""",
        "chat.update": """as_user_not_supported block_mismatch blocked_file_type cant_broadcast_message
            cant_update_message channel_not_found edit_window_closed external_channel_migrating file_deleted
            file_is_deleted file_not_found file_share_limit_reached invalid_attachments invalid_blocks
            invalid_blocks_format invalid_metadata_format invalid_metadata_schema is_inactive markdown_text_conflict
            max_file_sharing_exceeded message_limit_exceeded message_not_found metadata_must_be_sent_from_app
            metadata_too_large msg_too_long no_dual_broadcast_content_update no_text posting_to_channel_denied
            slack_connect_blocked_file_type slack_connect_canvas_sharing_blocked slack_connect_clip_sharing_blocked
            slack_connect_file_link_sharing_blocked slack_connect_file_upload_sharing_blocked
            streaming_state_conflict team_not_found too_many_attachments unable_to_share_files update_failed""",
        "chat.postEphemeral": """cannot_reply_to_message channel_not_found invalid_attachments invalid_blocks
            invalid_blocks_format is_archived markdown_text_conflict message_limit_exceeded messages_tab_disabled
            msg_too_long no_text not_in_channel restricted_action too_many_attachments user_not_in_channel""",
        "chat.delete": "cant_delete_message channel_not_found message_not_found",
        "conversations.info": "channel_is_limited_access channel_not_found",
        "conversations.history": """channel_is_limited_access channel_not_found invalid_cursor
            invalid_metadata_filter_keys invalid_ts_latest invalid_ts_oldest not_in_channel""",
        "conversations.replies": """channel_not_found invalid_cursor invalid_metadata_filter_keys invalid_ts_latest
            invalid_ts_oldest list_record_comment_fetch_failed method_not_supported_for_channel_type
            thread_not_found""",
        "conversations.open": """channel_not_found invalid_user_combination method_not_supported_for_channel_type
            not_enough_users too_many_users user_disabled user_not_found user_not_visible users_list_not_supplied""",
        "files.getUploadURLExternal": """alt_txt_too_large file_type_not_allowed file_upload_size_restricted
            file_uploads_disabled file_uploads_except_images_disabled missing_argument snippet_too_large
            storage_limit_reached unknown_snippet_type unknown_subtype""",
        "files.completeUploadExternal": """channel_not_found channels_limit_exceeded file_not_found
            file_type_not_allowed file_update_failed file_uploads_except_images_disabled invalid_blocks
            invalid_channel not_in_channel posting_to_channel_denied""",
        "views.open": """duplicate_external_id exchanged_trigger_id expired_trigger_id invalid_trigger_id
            view_too_large""",
        "views.push": """duplicate_external_id exchanged_trigger_id expired_trigger_id invalid_trigger_id not_found
            push_limit_reached view_too_large""",
        "views.update": "duplicate_external_id hash_conflict not_found view_too_large",
        "views.publish": """duplicate_external_id hash_conflict missing_profile_id not_enabled not_implemented
            view_too_large""",
        "users.info": "too_many_users user_not_found user_not_visible",
        "reactions.add": """already_reacted bad_timestamp channel_not_found external_channel_migrating invalid_name
            is_archived message_not_found no_access no_item_specified not_reactable thread_locked too_many_emoji
            too_many_reactions""",
        "reactions.get": """bad_timestamp channel_not_found file_comment_not_found file_not_found message_not_found
            no_item_specified""",
        "auth.test": "",
        "apps.connections.open": "forbidden_team insecure_request missing_args",
        "oauth.v2.access": """bad_client_secret bad_redirect_uri cannot_install_an_org_installed_app
            invalid_client_id invalid_code invalid_code_verifier invalid_grant_type invalid_refresh_token no_scopes
            oauth_authorization_url_mismatch pkce_not_allowed preview_feature_not_available user_email_unverified""",
        "response_url": """action_prohibited channel_is_archived channel_not_found expired_url invalid_payload no_text
            posting_to_general_channel_denied rollup_error too_many_attachments used_url user_not_found""",
    }.items()
}
"""The calls we make, with the codes that each may answer beside the common ones."""

_MEANT: tuple[tuple[Outcome, str, float | None, str], ...] = (
    ("retry", "busy", None, "ratelimited rate_limited request_timeout"),
    ("retry", "busy", 60.0, "message_limit_exceeded accesslimited team_added_to_org external_channel_migrating"),
    ("retry", "busy", 10.0, "streaming_state_conflict"),
    ("retry", "clash", None, "hash_conflict"),
    (
        "unsure",
        "outage",
        None,
        """fatal_error internal_error service_unavailable update_failed file_update_failed unable_to_share_files
        list_record_comment_fetch_failed rollup_error""",
    ),
    ("permanent", "archived", None, "is_archived is_inactive channel_is_archived"),
    ("permanent", "uninvited", None, "not_in_channel"),
    ("permanent", "unseen", None, "channel_not_found invalid_channel"),
    (
        "permanent",
        "restricted",
        None,
        """restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel
        channel_is_limited_access edit_window_closed action_prohibited posting_to_general_channel_denied
        send_on_behalf_not_allowed""",
    ),
    ("permanent", "threads", None, "restricted_action_non_threadable_channel"),
    ("permanent", "locked", None, "restricted_action_thread_locked thread_locked"),
    (
        "permanent",
        "files",
        None,
        """blocked_file_type file_share_limit_reached file_type_not_allowed file_upload_size_restricted
        file_uploads_disabled file_uploads_except_images_disabled max_file_sharing_exceeded posting_to_channel_denied
        slack_connect_blocked_file_type slack_connect_canvas_sharing_blocked slack_connect_clip_sharing_blocked
        slack_connect_file_link_sharing_blocked slack_connect_file_upload_sharing_blocked
        slack_connect_lists_sharing_blocked""",
    ),
    ("permanent", "quota", None, "storage_limit_reached"),
    ("permanent", "react", None, "no_access not_reactable too_many_emoji too_many_reactions"),
    ("permanent", "direct", None, "method_not_supported_for_channel_type"),
    (
        "permanent",
        "message-gone",
        None,
        """message_not_found thread_not_found cannot_reply_to_message cant_update_message cant_delete_message
        file_comment_not_found""",
    ),
    ("permanent", "done", None, "already_reacted"),
    ("permanent", "scope", None, "missing_scope no_permission"),
    ("permanent", "token", None, "invalid_auth not_authed token_expired token_revoked invalid_refresh_token"),
    ("permanent", "uninstalled", None, "account_inactive"),
    (
        "permanent",
        "policy",
        None,
        """access_denied app_access_restricted cannot_install_an_org_installed_app ekm_access_denied
        enterprise_is_restricted forbidden_team org_login_required preview_feature_not_available
        team_access_not_granted two_factor_setup_required user_email_unverified""",
    ),
    (
        "permanent",
        "settings",
        None,
        """bad_client_secret bad_redirect_uri invalid_client_id invalid_grant_type messages_tab_disabled missing_args
        no_scopes not_allowed_token_type not_enabled oauth_authorization_url_mismatch pkce_not_allowed""",
    ),
    ("permanent", "version", None, "deprecated_endpoint method_deprecated unknown_method"),
    ("permanent", "person-gone", None, "user_disabled user_not_found user_not_visible"),
    ("permanent", "person-away", None, "user_not_in_channel"),
    (
        "permanent",
        "again",
        None,
        """exchanged_trigger_id expired_trigger_id invalid_trigger_id expired_url used_url invalid_code
        invalid_code_verifier not_found push_limit_reached""",
    ),
    (
        "permanent",
        "defect",
        None,
        """alt_txt_too_large as_user_not_supported attachment_payload_limit_exceeded bad_timestamp block_mismatch
        cant_broadcast_message channels_limit_exceeded draft_already_deleted draft_already_sent draft_has_conflict
        draft_not_found duplicate_channel_not_found duplicate_external_id duplicate_message_not_found file_deleted
        file_is_deleted file_not_found insecure_request invalid_arg_name invalid_arguments invalid_array_arg
        invalid_attachments invalid_blocks invalid_blocks_format invalid_charset invalid_cursor invalid_form_data
        invalid_metadata_filter_keys invalid_metadata_format invalid_metadata_schema invalid_name invalid_payload
        invalid_post_type invalid_ts_latest invalid_ts_oldest invalid_user_combination is_bot markdown_text_conflict
        metadata_must_be_sent_from_app metadata_too_large missing_argument missing_file_data missing_post_type
        missing_profile_id msg_blocks_too_long msg_too_long no_dual_broadcast_content_update no_item_specified no_text
        not_enough_users not_implemented snippet_too_large team_not_found too_many_attachments too_many_contact_cards
        too_many_users unknown_snippet_type unknown_subtype users_list_not_supplied view_too_large""",
    ),
)

MEANINGS: dict[str, Meaning] = {
    code: Meaning(outcome, cure, patience) for outcome, cure, patience, codes in _MEANT for code in _words(codes)
}
"""Every code with what it means."""

_LIKE: tuple[tuple[str, str, str], ...] = (
    ("restricted_action", "", "restricted"),
    ("slack_connect_", "_blocked", "files"),
    ("invalid_", "", "defect"),
    ("missing_", "", "defect"),
    ("too_many_", "", "defect"),
    ("", "_too_long", "defect"),
    ("", "_too_large", "defect"),
    ("user_", "", "person-gone"),
)
"""Codes that are not listed, by how they begin and end: Slack adds new ones to old families."""


def meaning_of(code: str) -> Meaning:
    """What a code means. One that nobody listed is permanent, and its cure is guessed from its family."""
    found = MEANINGS.get(code)
    if found is not None:
        return found
    for start, end, cure in _LIKE:
        if code.startswith(start) and code.endswith(end):
            return Meaning("permanent", cure)
    return Meaning("permanent", "unknown")
